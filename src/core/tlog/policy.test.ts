import { expect, test } from "vitest";
import { logSigner, seedOf, sha256, witnessSigner } from "../../../test/support/tlog.ts";
import { formatVerifierKey, type VerifierKey } from "./key.ts";
import { isMet, parsePolicy } from "./policy.ts";

const vkey = ({ key }: { readonly key: VerifierKey }) => formatVerifierKey(key);
const LOG = logSigner("log.example");
const W = Object.fromEntries(["X1", "X2", "X3", "Y1", "Y2", "Y3"].map((name) => [name, witnessSigner(`${name}.example`)]));
const witness = (name: string) => `witness ${name} ${vkey(W[name]!)}\n`;

// The shape of the example in C2SP's tlog-policy, with keys.
const POLICY = `# two organisations
log ${vkey(LOG)}
${witness("X1")}${witness("X2")}${witness("X3")}group X-witnesses 2 X1 X2 X3

  ${witness("Y1")}${witness("Y2")}${witness("Y3")}group\tY-witnesses  any Y1 Y2 Y3 \t
group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

test("the quorum of C2SP's example: two of X, and one of Y", () => {
  const policy = parsePolicy(POLICY, sha256);
  expect(policy.logs.map(({ key }) => key)).toEqual([LOG.key]);
  expect(policy.witnesses.map(({ name }) => name)).toEqual(["X1", "X2", "X3", "Y1", "Y2", "Y3"]);
  const met = (...names: string[]) =>
    isMet(
      policy.quorum,
      names.map((name) => W[name]!.key),
    );
  expect([met("X1", "X3", "Y2"), met("X1", "X2", "X3", "Y1", "Y2", "Y3")]).toEqual([true, true]);
  expect([met(), met("X1", "X2", "X3"), met("X1", "Y1", "Y2"), met("X1", "X1", "Y1"), met("Y1")]).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("a single witness or nobody at all is a quorum too", () => {
  const one = parsePolicy(`${witness("X1")}quorum X1\n`, sha256);
  expect([isMet(one.quorum, [W["X1"]!.key]), isMet(one.quorum, [W["X2"]!.key]), one.logs]).toEqual([true, false, []]);
  // A name and an id are no proof: another key with the same ones is somebody else.
  expect(isMet(one.quorum, [{ ...W["X1"]!.key, publicKey: W["X2"]!.key.publicKey }])).toBe(false);
  expect(isMet(parsePolicy("quorum none\n", sha256).quorum, [])).toBe(true);
});

test("addresses are kept, and names are bytes: they need not be text, and none is another", () => {
  const url = "https://witness.example/\u00fc";
  expect(parsePolicy(`log ${vkey(LOG)} https://log.example\nwitness X1 ${vkey(W["X1"]!)} ${url}\nquorum none\n`, sha256)).toMatchObject({
    logs: [{ url: "https://log.example" }],
    witnesses: [{ url }],
  });
  // The Kelvin sign and the letter K of C2SP's remark; then a byte that is no UTF-8.
  const text = `witness K ${vkey(W["X1"]!)}\nwitness \u212a ${vkey(W["X2"]!)}\nwitness ? ${vkey(W["X3"]!)}\nquorum \u212a\n`;
  const bytes = Buffer.from(text);
  bytes[bytes.indexOf("?")] = 0xff;
  const { quorum, witnesses } = parsePolicy(bytes, sha256);
  expect([isMet(quorum, [W["X1"]!.key]), isMet(quorum, [W["X2"]!.key])]).toEqual([false, true]);
  expect(witnesses.map(({ name }) => name)).toEqual(["K", "\u212a", "\ufffd"]);
});

test("32 logs, 32 witnesses and 32 groups are not too many", () => {
  const many = Array.from({ length: 32 }, (_, i) => i);
  const text = [
    ...many.map((i) => `log ${vkey(logSigner(`log${i}`))}`),
    ...many.map((i) => `witness w${i} ${vkey(witnessSigner(`w${i}`))}`),
    ...many.map((i) => `group g${i} any w${i}`),
    "group all 32 " + many.map((i) => `g${i}`).join(" "),
    "quorum all",
  ];
  const { quorum } = parsePolicy(`${text.join("\n")}\n`, sha256);
  const keys = many.map((i) => witnessSigner(`w${i}`).key);
  expect([isMet(quorum, keys), isMet(quorum, keys.slice(1))]).toEqual([true, false]);
});

test.for([
  ["", "no quorum line"],
  [POLICY.slice(0, -1), "no newline at its end"],
  [POLICY.replace("quorum X-and-Y\n", ""), "no quorum line"],
  [`${POLICY}quorum none\n`, "second quorum"],
  [POLICY.replace("quorum X", "quorums X"), "Line 13 of the policy: it begins with none of"],
  [POLICY.replace("quorum X-and-Y", "quorum X-or-Y"), "no line above defines X-or-Y"],
  [`quorum X1\n${witness("X1")}`, "no line above defines X1"],
  [POLICY.replace("group X-witnesses 2", "group X-witnesses 4"), "from 1 to 3"],
  [POLICY.replace("group X-witnesses 2", "group X-witnesses 0"), "from 1 to 3"],
  [POLICY.replace("group X-witnesses 2", "group X-witnesses 02"), "from 1 to 3"],
  [POLICY.replace("group X-witnesses 2", "group X-witnesses most"), "from 1 to 3"],
  [POLICY.replace("group X-witnesses 2 X1 X2 X3", "group X-witnesses 2"), "a group is"],
  [POLICY.replace("2 X1 X2 X3", "2 X1 X1 X3"), "would count twice"],
  [POLICY.replace("any Y1 Y2 Y3", "any Y1 Y2 Y3 X1"), "would count twice"],
  [POLICY.replace("any Y1 Y2 Y3", "any Y1 Y2 none"), "no line above defines none"],
  [POLICY.replace("group X-and-Y", "group X1"), "the name X1 is taken"],
  [POLICY.replaceAll("X-and-Y", "none"), "the name none is taken"],
  [POLICY.replace("group X-and-Y all", "group X-and-Y all X-and-Y"), "no line above defines X-and-Y"],
  [`${witness("X1")}witness again ${vkey(witnessSigner("again", seedOf("X1.example")))}\nquorum none\n`, "stands here twice"],
  [`log ${vkey(LOG)}\nlog ${vkey(logSigner("again", seedOf("log.example")))}\nquorum none\n`, "stands here twice"],
  [`log ${vkey(W["X1"]!)}\nquorum none\n`, "is of type 4"],
  [`witness a ${vkey(LOG)}\nquorum none\n`, "is of type 1"],
  [`witness a\nquorum none\n`, "a witness is"],
  [`log ${vkey(LOG)} https://a https://b\nquorum none\n`, "a log is"],
  ["quorum none none\n", "a quorum is"],
  ["quorum none\r\n", "control characters"],
  ["log \u0000\nquorum none\n", "control characters"],
  ["quorum\u00a0none\n", "it begins with none of"],
  [`${"#\n".repeat(200_000)}quorum none\n`, "longer than 262144 bytes"],
  [`${"group a all b\n".repeat(2)}quorum none\n`, "Line 1 of the policy: no line above defines b"],
])("%# is no policy: %s", ([text = "", why = ""]) => {
  expect(() => parsePolicy(text, sha256)).toThrow(why);
});
