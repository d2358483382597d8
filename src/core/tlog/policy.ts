// Trust policies (C2SP, tlog-policy): which logs and witnesses to trust, and how many cosignatures are needed.
import { malformed } from "./tlog-error.ts";
import { COSIGNATURE_V1, ED25519, isOf, parseVerifierKey, type SignatureType, type VerifierKey } from "./key.ts";
import { sameBytes, textOf, utf8 } from "./bytes.ts";
import type { Sha256 } from "./merkle.ts";

export interface PolicyLog {
  /** Its name is the origin of the log. */
  readonly key: VerifierKey;
  readonly url?: string;
}

export interface PolicyWitness extends PolicyLog {
  /** A name that is used only inside its policy. Names need not be UTF-8, so this one is for display. */
  readonly name: string;
}

/** A group is met if `threshold` of its members are met; a threshold of 0 needs nobody. */
export type Quorum = { readonly witness: VerifierKey } | { readonly threshold: number; readonly members: readonly Quorum[] };

export interface Policy {
  readonly logs: readonly PolicyLog[];
  readonly witnesses: readonly PolicyWitness[];
  readonly quorum: Quorum;
}

const MAX_BYTES = 262_144;
/** The limit for logs, witnesses and groups together; C2SP requires at least 32 of each. */
const MAX_LINES = 1024;
const NONE = "none";
const NO_WITNESS: Quorum = { threshold: 0, members: [] };

/** Whether these signers meet the quorum. */
export function isMet(quorum: Quorum, signed: readonly VerifierKey[]): boolean {
  if ("witness" in quorum) return signed.some((key) => isOf(key, quorum.witness) && sameBytes(key.publicKey, quorum.witness.publicKey));
  return quorum.members.filter((member) => isMet(member, signed)).length >= quorum.threshold;
}

export function parsePolicy(input: string | Uint8Array, sha256: Sha256): Policy {
  const reader = new PolicyReader(sha256);
  const lines = octetsOf(input).split("\n");
  if (lines.pop() !== "") throw malformed("The last line of a policy has no newline at its end: something may be missing.");
  lines.forEach((line, i) => {
    try {
      reader.read(line.split(/[ \t]+/).filter((item) => item !== ""));
    } catch (error) {
      throw error instanceof Error ? malformed(`Line ${i + 1} of the policy: ${error.message}`) : error;
    }
  });
  return reader.policy();
}

/** One character for each byte, because names are compared as bytes: names that only look alike are different. */
function octetsOf(input: string | Uint8Array): string {
  const bytes = typeof input === "string" ? utf8(textOf(input, "The policy", MAX_BYTES)) : input;
  if (bytes.length > MAX_BYTES) throw malformed(`The policy is longer than ${MAX_BYTES} bytes.`);
  const octets = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  // oxlint-disable-next-line no-control-regex -- the pattern finds control characters.
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(octets)) throw malformed("A policy holds no control characters but tabs and newlines.");
  return octets;
}

const bytesOf = (octets: string): Uint8Array => Uint8Array.from(octets, (character) => character.charCodeAt(0));
const shown = (octets: string): string => new TextDecoder().decode(bytesOf(octets));

class PolicyReader {
  readonly #sha256: Sha256;
  readonly #logs: PolicyLog[] = [];
  readonly #witnesses: PolicyWitness[] = [];
  readonly #named = new Map<string, Quorum>();
  readonly #members = new Set<string>();
  #quorum: Quorum | undefined;
  #lines = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  read(items: readonly string[]): void {
    const [word, ...rest] = items;
    if (word === undefined || word.startsWith("#")) return;
    if (++this.#lines > MAX_LINES) throw malformed(`it is one of more than ${MAX_LINES}.`);
    if (word === "log") this.#log(rest);
    else if (word === "witness") this.#witness(rest);
    else if (word === "group") this.#group(rest);
    else if (word === "quorum") this.#setQuorum(rest);
    else throw malformed("it begins with none of log, witness, group, quorum and #.");
  }

  policy(): Policy {
    if (this.#quorum === undefined) throw malformed("The policy has no quorum line; `quorum none` asks for no witness.");
    return { logs: this.#logs, witnesses: this.#witnesses, quorum: this.#quorum };
  }

  #log([vkey, url, ...more]: readonly string[]): void {
    if (vkey === undefined || more.length > 0) throw malformed("a log is `log <vkey> [<url>]`.");
    const key = this.#key(vkey, ED25519, this.#logs);
    this.#logs.push(url === undefined ? { key } : { key, url: shown(url) });
  }

  #witness([name, vkey, url, ...more]: readonly string[]): void {
    if (name === undefined || vkey === undefined || more.length > 0) throw malformed("a witness is `witness <name> <vkey> [<url>]`.");
    const key = this.#key(vkey, COSIGNATURE_V1, this.#witnesses);
    this.#name(name, { witness: key });
    this.#witnesses.push({ name: shown(name), key, ...(url === undefined ? {} : { url: shown(url) }) });
  }

  #group([name, threshold = "", ...names]: readonly string[]): void {
    if (name === undefined || names.length === 0) throw malformed("a group is `group <name> all|any|<number> <name>...`.");
    const needed =
      threshold === "all" ? names.length : threshold === "any" ? 1 : /^[1-9][0-9]{0,4}$/.test(threshold) ? Number(threshold) : 0;
    if (needed < 1 || needed > names.length)
      throw malformed(`a group of ${names.length} needs all, any, or a number from 1 to ${names.length} of them.`);
    const members = names.map((one) => {
      if (this.#members.has(one)) throw malformed(`${shown(one)} is a member of a group already, and would count twice.`);
      this.#members.add(one);
      return this.#defined(one);
    });
    this.#name(name, { threshold: needed, members });
  }

  #setQuorum([name, ...more]: readonly string[]): void {
    if (name === undefined || more.length > 0) throw malformed("a quorum is `quorum <name>`.");
    if (this.#quorum !== undefined) throw malformed("it is a second quorum.");
    this.#quorum = name === NONE ? NO_WITNESS : this.#defined(name);
  }

  #key(octets: string, type: SignatureType, others: readonly PolicyLog[]): VerifierKey {
    const key = parseVerifierKey(textOf(bytesOf(octets), "the vkey", octets.length), this.#sha256);
    if (key.type !== type)
      throw malformed(`the vkey of ${key.name} is of type ${key.type}; logs have 1 (Ed25519), witnesses 4 (cosignature/v1).`);
    if (others.some((other) => sameBytes(other.key.publicKey, key.publicKey))) throw malformed(`the key of ${key.name} stands here twice.`);
    return key;
  }

  #name(name: string, quorum: Quorum): void {
    if (name === NONE || this.#named.has(name)) throw malformed(`the name ${shown(name)} is taken.`);
    this.#named.set(name, quorum);
  }

  #defined(name: string): Quorum {
    const quorum = this.#named.get(name);
    if (quorum === undefined) throw malformed(`no line above defines ${shown(name)}.`);
    return quorum;
  }
}
