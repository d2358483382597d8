// notes.json: vkeys, and notes with the signatures in them that count, or why they are refused.
import { formatCheckpoint } from "../src/core/tlog/checkpoint.ts";
import { formatVerifierKey } from "../src/core/tlog/key.ts";
import { formatNote, type NoteSignature } from "../src/core/tlog/note.ts";
import { cosignText, signText } from "../src/core/tlog/signature.ts";
import { emptyRoot } from "../src/core/tlog/merkle.ts";
import { logSigner, seedOf, sha256, witnessSigner } from "../test/support/tlog.ts";

export const TIME = 1_767_225_600;
export const ORIGIN = "log.example/vectors";
export const LOG = logSigner(ORIGIN);
export const WITNESSES = ["w1.example", "w2.example", "w3.example"].map((name) => witnessSigner(name));
const KEYS = [LOG, ...WITNESSES];

interface NoteCase {
  readonly name: string;
  readonly note: string;
  /** The names of the keys whose signatures count, or why the note is refused. */
  readonly signed: readonly string[] | null;
  readonly fault: "malformed" | "signature" | null;
}

const TEXT = formatCheckpoint({ origin: ORIGIN, size: 0, root: emptyRoot(sha256) });

async function noteCases(): Promise<NoteCase[]> {
  const [w1 = LOG, w2 = LOG] = WITNESSES;
  const [log, one, two] = [await signText(TEXT, LOG), await cosignText(TEXT, TIME, w1), await cosignText(TEXT, TIME + 1, w2)];
  const note = (signatures: readonly NoteSignature[], text = TEXT) => formatNote({ text, signatures });
  const good = (name: string, text: string, ...signed: string[]): NoteCase => ({ name, note: text, signed, fault: null });
  const bad = (name: string, fault: "malformed" | "signature", text: string): NoteCase => ({ name, note: text, signed: null, fault });
  const whole = note([log]);
  const stranger = { name: "stranger.example", id: 1, bytes: Uint8Array.of(1) };
  const free = "Grüße\n\n— not a signature, but text\n";
  const other = await signText("other\n", LOG);
  return [
    good("signed by the log", whole, ORIGIN),
    good("signed by the log and two witnesses", note([log, one, two]), ORIGIN, "w1.example", "w2.example"),
    good("signed twice by one key", note([log, log]), ORIGIN),
    good("with a line of a stranger", note([stranger, log]), ORIGIN),
    good("with a line under the log's name, but another id", note([{ ...log, id: 1 }, log]), ORIGIN),
    good("with a line under the log's id, but another name", note([{ ...log, name: "stranger.example" }, log]), ORIGIN),
    good("signed by strangers only", note([stranger])),
    good("any text, with an empty line in it", note([await signText(free, LOG)], free), ORIGIN),
    bad("the text changed", "signature", whole.replace("\n0\n", "\n1\n")),
    bad("a good signature beside one that does not hold", "signature", note([log, { ...log, bytes: other.bytes }])),
    bad("a signature a byte too long", "signature", note([{ ...log, bytes: Uint8Array.of(...log.bytes, 0) }])),
    bad(
      "a cosignature whose time was changed",
      "signature",
      note([{ ...one, bytes: one.bytes.map((byte, i) => (i === 7 ? byte ^ 1 : byte)) }]),
    ),
    bad("a cosignature in place of a signature", "signature", note([{ ...log, bytes: one.bytes }])),
    bad("no empty line", "malformed", whole.replace("\n\n", "\n")),
    bad("no signature", "malformed", `${TEXT}\n`),
    bad("no newline at the end", "malformed", whole.slice(0, -1)),
    bad("an empty line at the end", "malformed", `${whole}\n`),
    bad("a hyphen in place of the em dash", "malformed", whole.replace("—", "-")),
    bad("two spaces", "malformed", whole.replace("— ", "—  ")),
    bad("base64 without its padding", "malformed", whole.replace(/=+\n$/, "\n")),
    bad(
      "base64 with unused bits set",
      "malformed",
      whole.replace(/(.)=\n$/, (_, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=\n`),
    ),
    bad("base64 for addresses", "malformed", whole.replace(/ [A-Za-z0-9+/]{4}([^ ]*)\n$/, " _-_-$1\n")),
    bad("a signature of four bytes", "malformed", whole.replace(/ [^ ]*\n$/, " AAAAAA==\n")),
    bad("a tab", "malformed", whole.replace("\n0\n", "\n0\t\n")),
    bad("carriage returns", "malformed", whole.replaceAll("\n", "\r\n")),
  ];
}

export const notesFile = async () => ({
  about:
    "Signed notes (C2SP, signed-note and tlog-cosignature). The keys are known; `signed` names those whose signatures hold, or `fault` says" +
    " why the note is refused. Seeds are hex, times of cosignatures Unix seconds.",
  keys: KEYS.map(({ key }) => ({ name: key.name, type: key.type, seed: seedOf(key.name).toString("hex"), vkey: formatVerifierKey(key) })),
  bad_vkeys: [
    formatVerifierKey(LOG.key).replace(/\+[0-9a-f]{8}\+/, "+00000000+"),
    formatVerifierKey(LOG.key).replace("log.example", "log2.example"),
    formatVerifierKey(LOG.key).replace(/\+[0-9a-f]{8}\+/, (id) => id.toUpperCase().replace(/[0-9]/g, "A")),
    formatVerifierKey(LOG.key).slice(0, -4),
    `${formatVerifierKey(LOG.key)}=`,
    formatVerifierKey(LOG.key).replace("log.example", "log example"),
    "log.example",
    "",
  ],
  notes: await noteCases(),
});
