import { expect, test } from "vitest";
import { crypto, logSigner, seedOf, signedNote, witnessSigner } from "../../../test/support/tlog.ts";
import { formatCheckpoint, openCheckpoint, parseCheckpoint } from "./checkpoint.ts";
import { parseNote } from "./note.ts";

// The example of C2SP's tlog-checkpoint.
const TEXT = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";

test("the example of C2SP is read and written to the byte, with extension lines too", () => {
  const checkpoint = parseCheckpoint(TEXT);
  expect(checkpoint).toEqual({
    origin: "example.com/behind-the-sofa",
    size: 20_852_163,
    root: Uint8Array.from(Buffer.from("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=", "base64")),
  });
  expect(formatCheckpoint(checkpoint)).toBe(TEXT);
  const extended = `${TEXT}first extension\nsecond\n`;
  expect(formatCheckpoint(parseCheckpoint(extended))).toBe(extended);
});

test.for([
  ["", "ends with a newline"],
  ["\n", "three lines"],
  ["a\n1\n", "three lines"],
  [TEXT.slice(0, -1), "ends with a newline"],
  [`\n${TEXT}`, "three lines"],
  [`${TEXT}\n`, "extension line"],
  [TEXT.replace("20852163", "020852163"), "leading zeros"],
  [TEXT.replace("20852163", "-1"), "whole number"],
  [TEXT.replace("20852163", "+1"), "whole number"],
  [TEXT.replace("20852163", "1e3"), "whole number"],
  [TEXT.replace("20852163", " 1"), "whole number"],
  [TEXT.replace("20852163", "\u0661"), "whole number"],
  [TEXT.replace("20852163", "9007199254740992"), "whole number from 0 to 9007199254740991"],
  [TEXT.replace("20852163", "99999999999999999999"), "whole number"],
  [TEXT.replace("q2I=", "q2J="), "unused bits"],
  [TEXT.replace("q2I=", "q2I"), "not base64"],
  [TEXT.replace("CsUY", ""), "32 bytes, not 29"],
  [TEXT.replace("sofa", "so\rfa"), "control characters"],
  [TEXT.replace("example", "e".repeat(300)), "longer than 255"],
  [TEXT + "x\n".repeat(17), "more than 16"],
  [`${TEXT}${"x".repeat(1025)}\n`, "longer than 1024"],
])("%# is no checkpoint: %j", ([text = "", why = ""]) => {
  expect(() => parseCheckpoint(text)).toThrow(why);
});

test("what would be read otherwise is not written", () => {
  const checkpoint = parseCheckpoint(TEXT);
  for (const wrong of [{ origin: "" }, { origin: "a\n1" }, { root: new Uint8Array(31) }, { extensions: [""] }, { size: -1 }])
    expect(() => formatCheckpoint({ ...checkpoint, ...wrong })).toThrow();
});

test("a checkpoint opens for the log's own keys only, and only under its own origin", async () => {
  const [log, witness] = [logSigner("log.example"), witnessSigner("witness.example")];
  const checkpoint = { origin: "log.example", size: 3, root: new Uint8Array(32) };
  const note = parseNote(await signedNote(checkpoint, log, [witness], 17));
  const open = (origin: string, keys = [log.key]) => openCheckpoint(note, origin, keys, crypto.verify);
  expect((await open("log.example")).checkpoint).toEqual(checkpoint);
  await expect(open("other.example")).rejects.toMatchObject({ fault: "origin" });
  await expect(open("log.example", [logSigner("log.example", seedOf("old")).key])).rejects.toMatchObject({ fault: "signature" });
  await expect(open("log.example", [])).rejects.toThrow("No known key of log.example");
});
