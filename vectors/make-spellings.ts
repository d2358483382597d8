// spellings.json: the ways to write each encoded field, and what looks like one.
import { ALICE } from "./keys.ts";

const SIG = ALICE.sign("spelling");
/** Sets the bits of the last character that base64url does not use. */
const spareBits = (text: string): string => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return text.slice(0, -1) + (alphabet[alphabet.indexOf(text.at(-1) ?? "") + 1] ?? "");
};

export const spellingsFile = () => ({
  about: "Texts that are (`good`) and are not (`bad`) a spelling of the field. Look-ups of aliases fold case; signed operations do not.",
  pk: {
    good: [ALICE.pk, `${ALICE.pk}=`, "A".repeat(43)],
    bad: [
      "",
      `${ALICE.pk}==`,
      spareBits(ALICE.pk),
      ALICE.pk.slice(1),
      `${ALICE.pk}A`,
      `+/${ALICE.pk.slice(2)}`,
      ` ${ALICE.pk.slice(1)}`,
      `${ALICE.pk}\n`,
    ],
  },
  sig: {
    good: [SIG, `${SIG}==`, "A".repeat(86)],
    bad: ["", `${SIG}=`, `${SIG}===`, spareBits(SIG), SIG.slice(1), `${SIG}A`, `+/${SIG.slice(2)}`, `${SIG}\n`],
  },
  nonce: { good: ["0", "!", "~", "a:b", '"\\', "z".repeat(64)], bad: ["", " ", "a b", "z".repeat(65), "ä", "1\n", "\u007f"] },
  agent_id: {
    good: [ALICE.agent],
    bad: ["", ALICE.agent.slice(3), `${ALICE.agent}0`, ALICE.agent.slice(0, -1), ALICE.agent.toUpperCase(), `${ALICE.agent}\n`],
  },
  alias: {
    good: ["abc", "a1b", "a-b", "a.b", "a1.b2-c3", "a".repeat(32), `a${".b".repeat(15)}c`],
    bad: ["", "ab", "1ab", "-ab", "ab-", "a--b", "a.-b", "Abc", "a_b", "äbc", "a b", "a".repeat(33), "abc\n"],
    reserved: ["postmaster", "abuse", "admin", "root", "no-reply"],
  },
});
