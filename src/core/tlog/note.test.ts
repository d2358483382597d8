import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crypto, logSigner, seedOf, sha256, witnessSigner } from "../../../test/support/tlog.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { COSIGNATURE_V1, ED25519, formatVerifierKey, parseVerifierKey, verifierKey } from "./key.ts";
import { formatNote, parseNote, parseSignatures } from "./note.ts";
import { cosignText, signText, verifiedSignatures } from "./signature.ts";

const { verify } = crypto;

// The example of C2SP's signed-note.
const VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
const SIGNATURE = "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=";
const NOTE = `This is an example message.\n\n\u2014 example.com/foo ${SIGNATURE}\n`;

describe("the example of C2SP", () => {
  const key = parseVerifierKey(VKEY, sha256);

  test("holds under its vkey", async () => {
    const [signed, ...more] = await verifiedSignatures(parseNote(NOTE), [key], verify);
    expect([signed?.key, more]).toEqual([key, []]);
    expect([formatVerifierKey(key), formatNote(parseNote(NOTE))]).toEqual([VKEY, NOTE]);
  });

  test("can be changed in no byte", async () => {
    const bytes = Buffer.from(NOTE);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ 1;
      const verdict = async () => verifiedSignatures(parseNote(changed), [key], verify);
      // Another name or id is that of somebody else, whose signature is not known: it counts for nothing.
      await expect(
        verdict().then(
          (found) => found.length,
          (error: Error) => error.name,
        ),
        String(at),
      ).resolves.toSatisfy((outcome) => outcome === 0 || outcome === "TlogError");
    }
  });
});

const LOG = logSigner("log.example");
const WITNESS = witnessSigner("witness.example");

describe("signatures", () => {
  test("of several keys count once each; those of strangers count for nothing and spoil nothing", async () => {
    const text = "Grüße\n\nsecond paragraph\n";
    const [one, two] = [await signText(text, LOG), await cosignText(text, 1_679_315_147, WITNESS)];
    const stranger = { name: LOG.key.name, id: 1, bytes: Uint8Array.of(1, 2, 3) };
    const note = parseNote(formatNote({ text, signatures: [stranger, one, two, one] }));
    expect(note.text).toBe(text);
    const found = await verifiedSignatures(note, [LOG.key, WITNESS.key], verify);
    expect(found.map(({ key, time }) => [key.name, time])).toEqual([
      ["log.example", undefined],
      ["witness.example", 1_679_315_147],
    ]);
    expect(await verifiedSignatures(note, [logSigner("log.example", seedOf("another")).key], verify)).toEqual([]);
  });

  test("by a known key that do not hold spoil the note, even beside a good one", async () => {
    const text = "text\n";
    const good = await signText(text, LOG);
    const bad = await signText("other text\n", LOG);
    for (const bytes of [bad.bytes, good.bytes.slice(1), Buffer.concat([good.bytes, Buffer.of(0)])])
      await expect(verifiedSignatures({ text, signatures: [good, { ...good, bytes }] }, [LOG.key], verify)).rejects.toThrow(
        "The signature by log.example is not valid.",
      );
  });

  test("of a witness say when: another time is another signature", async () => {
    const text = "log.example\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n";
    const signed = await cosignText(text, 1_679_315_147, WITNESS);
    const bytes = Uint8Array.from(signed.bytes);
    expect(Buffer.from(bytes.subarray(0, 8)).readBigUInt64BE()).toBe(1_679_315_147n);
    bytes[7] = bytes[7]! ^ 1;
    await expect(verifiedSignatures({ text, signatures: [{ ...signed, bytes }] }, [WITNESS.key], verify)).rejects.toThrow("is not valid");
    bytes[0] = 0xff;
    await expect(verifiedSignatures({ text, signatures: [{ ...signed, bytes }] }, [WITNESS.key], verify)).rejects.toThrow("is not valid");
  });

  test("are made by the key that is for them", async () => {
    await expect(signText("a\n", WITNESS)).rejects.toThrow("key of a witness");
    await expect(cosignText("a\n", 1, LOG)).rejects.toThrow("key of a log");
    for (const time of [0, -1, 0.5, Number.NaN]) await expect(cosignText("a\n", time, WITNESS)).rejects.toThrow("Unix seconds");
    await expect(signText("no newline", LOG)).rejects.toThrow("ends with a newline");
  });
});

test("any text that may be signed comes back with its signatures", async () => {
  const line = fc.string({ unit: "binary" }).filter((text) => text.isWellFormed() && !/[\u0000-\u001f]/.test(text)); // oxlint-disable-line no-control-regex -- what notes forbid
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), async (lines) => {
      const text = lines.map((one) => `${one}\n`).join("");
      const written = formatNote({ text, signatures: [await signText(text, LOG)] });
      for (const input of [written, Buffer.from(written)]) {
        const note = parseNote(input);
        expect([note.text, (await verifiedSignatures(note, [LOG.key], verify)).length]).toEqual([text, 1]);
      }
    }),
    { numRuns: 50 },
  );
});

const lines = (count: number) => `\u2014 example.com/foo ${SIGNATURE}\n`.repeat(count);

test.for([
  ["", "no empty line"],
  ["text\n", "no empty line"],
  ["text\n\n", "no signature line"],
  [NOTE.slice(0, -1), "ends with a newline"],
  [`${NOTE}\n`, "no signature line"],
  [`${NOTE}stray\n`, "em dash"],
  [NOTE.replace("\u2014", "-"), "em dash"],
  [NOTE.replace("\u2014 ", "\u2014"), "em dash"],
  [NOTE.replace("\u2014 ", "\u2014  "), "em dash"],
  [NOTE.replace("foo ", "foo  "), "em dash"],
  [NOTE.replace("=\n", "= \n"), "em dash"],
  [NOTE.replace("com/foo", "com/+foo"), "em dash"],
  [NOTE.replace("com/foo", "com/\u00a0foo"), "em dash"],
  [NOTE.replace("com/foo", "com/\u2028foo"), "em dash"],
  [NOTE.replace("aQM=", "aQM"), "not base64"],
  [NOTE.replace("aQM=", "aQN="), "unused bits"],
  [NOTE.replace("Uw2Q", "Uw2-"), "not base64"],
  [NOTE.replace(SIGNATURE, "Uw2QOg=="), "no more bytes than the id"],
  [NOTE.replace("example message", "example\tmessage"), "control characters"],
  [NOTE.replace(".\n", ".\r\n"), "control characters"],
  [NOTE.replace("example message", "example \u0000message"), "control characters"],
  [NOTE.replace("example", "\ud800"), "surrogate"],
  [`text\n\n${lines(65)}`, "more than 64"],
  ["a".repeat(300_000), "longer than 262144 bytes"],
])("%# is no note: %j", ([text = "", why = ""]) => {
  expect(() => parseNote(text)).toThrow(why);
});

test("bytes that are no text are no note, and a byte order mark is part of it", () => {
  expect(() => parseNote(Buffer.concat([Buffer.of(0xc3), Buffer.from(NOTE)]))).toThrow("not UTF-8");
  expect(parseNote(Buffer.from(`\ufeff${NOTE}`)).text).toBe("\ufeffThis is an example message.\n");
  expect(parseNote(`text\n\n${lines(64)}`).signatures.length).toBe(64);
});

test("signature lines stand alone where a witness sends them", () => {
  expect(parseSignatures(lines(2))).toEqual(parseNote(`a\n\n${lines(2)}`).signatures);
  for (const text of ["", "\n", lines(1).trimEnd(), `${lines(1)}\n`, `\n${lines(1)}`])
    expect(() => parseSignatures(text), text).toThrow("signature line");
});

test.for([
  ["example.com/foo", "A vkey is"],
  [VKEY.replace("530d903a", "530D903A"), "A vkey is"],
  [VKEY.replace("530d903a", "530d903"), "A vkey is"],
  [VKEY.replace("530d903a", "530d903b"), "its name and key give 530d903a"],
  [VKEY.replace("foo", "fox"), "its name and key give"],
  [VKEY.replace("+Aek", "+Bek"), "type that is not supported"],
  [VKEY.replace("3U2k", "3U2"), "not base64"],
  [VKEY.slice(0, -4), "has 32 bytes, not 29"],
  [` ${VKEY}`, "A vkey is"],
  [`${VKEY}\n`, "A vkey is"],
  ["a".repeat(600) + VKEY, "A vkey is"],
])("%j is no vkey", ([text = "", why = ""]) => {
  expect(() => parseVerifierKey(text, sha256)).toThrow(why);
});

test("one key has another id for each type, so that its signatures are not mistaken for each other", () => {
  const { publicKey } = LOG.key;
  const [log, witness] = [verifierKey("a", ED25519, publicKey, sha256), verifierKey("a", COSIGNATURE_V1, publicKey, sha256)];
  expect(log.id).not.toBe(witness.id);
  for (const name of ["", "a b", "a+b", "a\nb", "\u3000", "a".repeat(256)])
    expect(() => verifierKey(name, ED25519, publicKey, sha256), name).toThrow("The name of a key");
});

test("base64 has one spelling for all bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = toBase64(bytes);
      expect(text).toBe(Buffer.from(bytes).toString("base64"));
      expect(fromBase64(text, "It")).toEqual(bytes);
    }),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 12, unit: fc.constantFrom(..."A Q g w + / = - _ Z 9".split(" "), " ", "\n") }), (text) => {
      const canonical = Buffer.from(text, "base64").toString("base64") === text;
      if (canonical) expect(toBase64(fromBase64(text, "It"))).toBe(text);
      else expect(() => fromBase64(text, "It")).toThrow(/^It is/);
    }),
    { numRuns: 500 },
  );
});
