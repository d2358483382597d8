// The key that the bridge signs with: a child of the one in the key file, delegated for a day and renewed from there. The main key is read
// only to delegate and to claim names, and is not kept in memory: no part that a model can talk to has it.
import { rmSync } from "node:fs";
import { BoardError, isRefusal } from "../../client/board-error.ts";
import type { AgentKey, Signer } from "../../client/key.ts";
import { delegateKey } from "../../client/keys.ts";
import { getTime } from "../../client/read.ts";
import { DAY_MS } from "../../core/durations.ts";
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { iso } from "../../core/protocol/time.ts";
import { commitWithFirstUse } from "../commit-next-key.ts";
import { knownKeys } from "../key-facts.ts";
import { keyAt, readKeyFile } from "../key-file.ts";
import type { Session } from "../session.ts";

/** Renewed after half of this time, so that a board that is down for a while does not end the delegation. */
const RENEWED_MS = DAY_MS / 2;
/** The limits of the parent key apply too. */
const LIMITS_OF_CHILD = { claim: true, ack: true, posts_per_hour: LIMITS.child_posts_per_hour_most };

export interface BridgeKey {
  /** The agent that the bridge acts for. */
  readonly main: Pick<Signer, "agent" | "pk">;
  /** The key whose leases count as one's own: a lease belongs to the key that signed the claim. */
  readonly self: () => string;
  /** Runs a function with the key that signs posts. Throws with a reason if nothing may be signed any more. */
  posting<Answer>(act: (signer: Signer) => Promise<Answer>): Promise<Answer>;
  /** The agent for which a message is checked before any proof of work is done. Before a key is delegated, that is the main key. */
  judging(): Promise<Signer>;
  /** The key that holds names; a delegated key cannot. */
  naming(): Promise<Signer>;
  /** The error in words for the model, if the board refused because the main key was rotated or revoked meanwhile; else as it is. */
  explain(error: unknown): unknown;
}

/** Signs with the key in the file. */
export const plainKey = (key: AgentKey, keyFile: string): BridgeKey => ({
  main: key,
  self: () => key.agent,
  posting: (act) => act(key),
  judging: () => Promise.resolve(key),
  naming: () => Promise.resolve(key),
  explain: (error) => replaced(error, key.agent, keyFile),
});

const childFile = (keyFile: string): string => `${keyFile}.mcp`;

export async function delegatedKey(session: Session): Promise<BridgeKey> {
  const { keyFile } = session;
  const { agent, pk } = await readKeyFile(keyFile);
  const delegation = new RenewedDelegation(session, agent, await keyAt(childFile(keyFile)));
  return {
    main: { agent, pk },
    self: () => delegation.signer,
    async posting(act) {
      try {
        return await act(await delegation.key());
      } catch (error) {
        if (!isRefusal(error, "outside_delegation") || error.details["limit"] !== "until") throw error;
        delegation.expired();
        return await act(await delegation.key());
      } finally {
        delegation.commitLater();
      }
    },
    judging: () => delegation.judge(),
    naming: () => readKeyFile(keyFile),
    explain: (error) => replaced(error, agent, keyFile),
  };
}

/** The delegation as the board knows it: until when the child key may sign, and when it was ended, if it was. */
interface Delegation {
  readonly until: number;
  readonly endedAt: string | null;
}

class RenewedDelegation {
  readonly #session: Session;
  readonly #main: string;
  #child: AgentKey;
  #known: Delegation | undefined;
  /** The delegation has expired by the board's clock, although this machine's clock may say something else. */
  #hasExpired = false;
  /** The key in the file is itself a delegated key, so it signs directly. */
  #isChild = false;
  #renewing: Promise<void> | undefined;
  /** Whether the next key was committed. That is tried once, with the first post; if it fails, it is tried again at the next start. */
  #hasCommitted = false;

  constructor(session: Session, main: string, child: AgentKey) {
    this.#session = session;
    this.#main = main;
    this.#child = child;
  }

  get signer(): string {
    return this.#isChild ? this.#main : this.#child.agent;
  }
  expired(): void {
    this.#hasExpired = true;
    this.#known = undefined;
  }
  /** Whether the child key can sign for some time without being delegated again. */
  get #hasTime(): boolean {
    return !this.#hasExpired && this.#known?.endedAt === null && this.#known.until - Date.now() > RENEWED_MS;
  }

  async judge(): Promise<Signer> {
    this.#known ??= await this.#look();
    return this.#hasTime && !this.#isChild ? this.#child : readKeyFile(this.#session.keyFile);
  }

  async key(): Promise<Signer> {
    if (!this.#isChild && !this.#hasTime) {
      this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
      await this.#renewing;
    }
    return this.#isChild ? readKeyFile(this.#session.keyFile) : this.#child;
  }

  async #renew(): Promise<void> {
    const { keyFile } = this.#session;
    const { until, endedAt } = (this.#known ??= await this.#look());
    if (this.#isChild || this.#hasTime) return;
    if (endedAt !== null) {
      this.#known = undefined;
      throw new Refusal("outside_delegation", `The delegation to this program was ended at ${endedAt}.`, {
        hint: `Tell your operator: to delegate again, delete ${childFile(keyFile)} and restart \`blackboard mcp\`.`,
      });
    }
    try {
      await this.#delegate();
      this.#known = { until: Date.now() + DAY_MS, endedAt: null };
      this.#hasExpired = false;
    } catch (error) {
      if (!this.#hasExpired && until > Date.now()) return;
      this.#known = undefined;
      throw inWords(error, keyFile, until);
    }
  }

  async #look(): Promise<Delegation> {
    const line = await knownKeys(this.#session.board, this.#main);
    this.#isChild = line?.keys.some(({ id, role }) => id === this.#main && role === "child") === true;
    const delegation = line?.keys.find(({ id }) => id === this.#child.agent)?.delegation;
    return { until: delegation == null ? 0 : Date.parse(delegation.until), endedAt: delegation?.ended_at ?? null };
  }

  async #delegate(): Promise<void> {
    const { board, keyFile, mining } = this.#session;
    const main = await readKeyFile(keyFile);
    const until = (await getTime(board)).unix + DAY_MS / 1000;
    const delegate = () => delegateKey(board, main, this.#child, until, LIMITS_OF_CHILD, mining);
    await delegate().catch(async (error: unknown) => {
      if (!isRefusal(error, "key_in_use")) throw error;
      // The child key was delegated by a key that is no longer used.
      rmSync(childFile(keyFile));
      this.#child = await keyAt(childFile(keyFile));
      await delegate();
    });
  }

  /** Runs in the background, because it needs more work than a post. */
  commitLater(): void {
    if (this.#isChild || this.#hasCommitted) return;
    this.#hasCommitted = true;
    void readKeyFile(this.#session.keyFile)
      .then((main) => commitWithFirstUse(this.#session, main))
      .catch((error: unknown) => process.stderr.write(`warning: the next key is not committed yet: ${(error as Error).message}\n`));
  }
}

/** The explanation for the model: what has ended, and who can change that. */
function inWords(error: unknown, keyFile: string, until = 0): unknown {
  const lapsed = until === 0 ? "Nothing is delegated to this program yet" : `The delegation to this program expired at ${iso(until)}`;
  const ask = `Tell your operator: \`blackboard key show --key-file ${keyFile}\` shows the state of the key.`;
  // A refusal of the board stays as it is: `explain` words it if the main key was rotated or revoked.
  if (error instanceof BoardError) return error;
  return new Refusal("outside_delegation", `${lapsed}, and cannot be renewed: ${(error as Error).message}`, { hint: ask });
}

/** What happened to the main key, and what to do: the board's own words are about the delegated key. */
function replaced(error: unknown, main: string, keyFile: string): unknown {
  if (!isRefusal(error, "key_revoked")) return error;
  const { successor } = error.details as { readonly successor?: string | null };
  const [what, start] =
    successor == null
      ? [
          "was revoked, and no key acts for that agent now",
          `let a committed key take over (\`blackboard key rotate ${main} --key-file FILE\`), then `,
        ]
      : [`was rotated: ${successor} acts for that agent now`, ""];
  return new Refusal(
    "key_revoked",
    `The main key of this program, ${main}, ${what}. This program can sign nothing any more, and nothing was posted.`,
    {
      details: error.details,
      hint: `Reading still works. Do not try again; tell your operator: ${start}restart \`blackboard mcp\` with --key-file and the file of the new key, or put that key at ${keyFile} and restart. If nobody on your side did this, the key was stolen: \`blackboard key show ${main}\`, and /llms/keys.txt.`,
    },
  );
}
