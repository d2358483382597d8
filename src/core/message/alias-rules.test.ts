import { beforeEach, describe, expect, test } from "vitest";
import { outcome, refusalOf } from "../../../test/support/outcome.ts";
import { iso } from "../protocol/time.ts";
import { ALIAS_LIFE_MS, ALIAS_QUARANTINE_MS, type AliasLedger, type AliasRow, operateAlias, sweepAliases } from "./alias-rules.ts";

/** A ledger of plain maps: what the rules ask is answered from what they wrote. */
class PlainLedger implements AliasLedger {
  principalOf = (agent: string): string => agent;
  now = 1_767_225_600_000;
  readonly rows = new Map<string, AliasRow>();
  readonly checks = new Map<string, number>();
  readonly seen = new Map<string, { pk: string; at: number }>();
  readonly entries: string[] = [];
  alias = (name: string) => this.rows.get(name);
  putAlias(row: AliasRow): void {
    this.rows.set(row.alias, row);
    this.checks.set(row.alias, row.endedAt === null ? this.now + ALIAS_LIFE_MS : row.endedAt + ALIAS_QUARANTINE_MS);
  }
  forgetAlias(name: string): void {
    this.rows.delete(name);
    this.checks.delete(name);
  }
  liveAliases = (agent: string) =>
    [...this.rows.values()].filter((row) => row.agent === agent && row.endedAt === null).map(({ alias }) => alias);
  key = () => undefined;
  line = () => undefined;
  firstSeen = () => undefined;
  lastSeen = (agent: string) => this.seen.get(agent)?.at;
  keyOf = (agent: string) => this.seen.get(agent)?.pk;
  seeAgent = (agent: string, pk: string) => void this.seen.set(agent, { pk, at: this.now });
  dueAliases = (limit: number) =>
    [...this.rows.values()].filter(({ alias }) => (this.checks.get(alias) ?? Infinity) <= this.now).slice(0, limit);
  checkAlias = (name: string, at: number) => void this.checks.set(name, at);
  log = (type: string, id: string, detail: string | null) => this.entries.push(`${type} ${id} ${detail}`);
}

let ledger: PlainLedger;
beforeEach(() => void (ledger = new PlainLedger()));
const operate = (agent: string, op: "claim" | "release", alias: string, ts = Math.floor(ledger.now / 1000), pk = `pk of ${agent}`) =>
  operateAlias(ledger, agent, `${agent} ${op} ${alias} ${ts}`, { v: 1, pk, ts, op, alias });
const wait = (ms: number) => void (ledger.now += ms);

describe("aliases", () => {
  test("a renewal moves the end, not the beginning", () => {
    const { now: begun } = ledger;
    operate("a", "claim", "helper");
    wait(1000);
    expect(operate("a", "claim", "helper").expiresAt).toBe(ledger.now + ALIAS_LIFE_MS);
    expect(ledger.alias("helper")).toMatchObject({ claimedAt: begun, endedAt: null });
    expect(ledger.entries).toEqual(['alias_claim helper {"agent":"a"}', 'alias_claim helper {"agent":"a"}']);
  });

  test("several operations of one second count in the order they come, an older one does not, and the refusal says which was the last", () => {
    operate("a", "claim", "helper", 100);
    expect(outcome(() => operate("a", "release", "helper", 100))).toBe("ok");
    expect(outcome(() => operate("b", "claim", "helper", 100))).toBe("alias_taken");
    wait(72 * 3_600_000);
    expect(outcome(() => operate("b", "claim", "helper", 100))).toBe("ok");
    expect(refusalOf(() => operate("b", "release", "helper", 99))).toMatchObject({ code: "stale_alias_op", details: { last_ts: 100 } });
  });

  test("the same operation again is answered as before and changes nothing, also after others of its second", () => {
    operate("a", "claim", "helper", 100);
    const claimed = ledger.alias("helper");
    wait(500);
    expect(operate("a", "claim", "helper", 100)).toMatchObject({ op: "claim", agent: "a", expiresAt: ledger.now - 500 + ALIAS_LIFE_MS });
    expect(ledger.alias("helper")).toEqual(claimed);
    operate("a", "release", "helper", 100);
    const released = ledger.alias("helper");
    const end = ledger.now - 500 + ALIAS_LIFE_MS;
    expect(operate("a", "claim", "helper", 100)).toEqual({
      alias: "helper",
      op: "claim",
      agent: "a",
      expiresAt: end,
      seq: 1,
      undone: true,
    });
    expect(operate("a", "release", "helper", 100)).toEqual({ alias: "helper", op: "release", agent: "a", expiresAt: ledger.now, seq: 2 });
    expect(ledger.alias("helper")).toEqual(released);
    expect(ledger.entries).toHaveLength(2);
  });

  test("who holds five can renew each of them and claim no sixth until one is given up", () => {
    for (const name of ["one", "two", "three", "four", "five"]) operate("a", "claim", name);
    wait(1000);
    expect(outcome(() => operate("a", "claim", "six"))).toBe("too_many_aliases");
    expect(outcome(() => operate("a", "claim", "five"))).toBe("ok");
    wait(1000);
    operate("a", "release", "five");
    expect(outcome(() => operate("a", "claim", "six"))).toBe("ok");
    expect(outcome(() => operate("a", "claim", "five", Math.floor(ledger.now / 1000) + 1))).toBe("too_many_aliases");
  });

  test("a name whose owner fell silent is not held from that moment, also before the sweep says so", () => {
    operate("a", "claim", "helper");
    wait(ALIAS_LIFE_MS - 1);
    expect(refusalOf(() => operate("b", "claim", "helper")).details).toEqual({ agent: "a" });
    wait(1);
    expect(refusalOf(() => operate("b", "claim", "helper"))).toMatchObject({
      code: "alias_taken",
      details: { free_at: iso(ledger.now + ALIAS_QUARANTINE_MS) },
    });
    expect(outcome(() => operate("a", "release", "helper"))).toBe("not_owner");
    expect(outcome(() => operate("a", "claim", "helper"))).toBe("ok");
    expect(ledger.alias("helper")?.claimedAt).toBe(ledger.now);
  });

  test("the sweep ends what is over at the time it was over, looks again at what is not, and forgets what nobody may want back", () => {
    operate("a", "claim", "helper");
    operate("b", "claim", "other");
    const end = ledger.now + ALIAS_LIFE_MS;
    wait(1000);
    ledger.seeAgent("b", "pk of b");
    ledger.now = end + 500;
    expect(sweepAliases(ledger, 10)).toBe(false);
    expect(ledger.alias("helper")).toMatchObject({ endedAt: end, released: false });
    expect(ledger.alias("other")?.endedAt).toBeNull();
    expect(ledger.checks.get("other")).toBe(end + 1000);
    expect(ledger.entries.at(-1)).toBe('alias_expire helper {"agent":"a"}');
    ledger.now = end + ALIAS_QUARANTINE_MS;
    sweepAliases(ledger, 10);
    expect(ledger.alias("helper")).toBeUndefined();
    expect(ledger.entries.filter((entry) => entry.includes("helper"))).toHaveLength(2);
  });

  test("a long list is ended in steps, and the sweep says that there is more", () => {
    for (let i = 0; i < 7; i++) operate(`agent ${i}`, "claim", `name-${i}`);
    wait(ALIAS_LIFE_MS);
    expect([sweepAliases(ledger, 5), sweepAliases(ledger, 5)]).toEqual([true, false]);
    expect(ledger.entries.filter((entry) => entry.startsWith("alias_expire"))).toHaveLength(7);
  });

  test("another key with the same agent id gets nothing, and a refused operation is no sign of life", () => {
    operate("a", "claim", "helper");
    expect(outcome(() => operate("a", "claim", "other", undefined, "another key"))).toBe("agent_id_collision");
    const seen = ledger.lastSeen("a");
    wait(1000);
    expect(outcome(() => operate("a", "claim", "postmaster"))).toBe("alias_reserved");
    expect(ledger.lastSeen("a")).toBe(seen);
    expect(ledger.entries).toHaveLength(1);
  });
});
