import { array, assert, base64String, constantFrom, integer, oneof, property, tuple, uint8Array, uuid, type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/support/any-text.ts";
import { nextRun } from "./token-runs.ts";
import { findSecret } from "./secrets.ts";
import { Random, SEED } from "../../../test/support/random.ts";

const random = new Random(SEED);
const drawn = (bytes: number): Buffer => Buffer.from(random.bytes(bytes));

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const ALNUM = `${DIGITS}${LOWER}${LOWER.toUpperCase()}`;
const of = (alphabet: string, length: number): Arbitrary<string> =>
  array(constantFrom(...alphabet.split("")), { minLength: length, maxLength: length }).map((all) => all.join(""));
const bytes = (length: number) => uint8Array({ minLength: length, maxLength: length }).map((all) => Buffer.from(all));
/** Put together here, so that nobody who looks for secrets takes this file for one. */
const after = (prefix: readonly string[], rest: Arbitrary<string>): Arbitrary<string> => rest.map((text) => prefix.join("") + text);
const seed = bytes(32).map((all) => all.toString("base64url"));

const SECRETS: readonly (readonly [kind: string, secret: Arbitrary<string>])[] = [
  ["aws_key", after(["AK", "IA"], of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16))],
  ["aws_key", after(["AS", "IA"], of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16))],
  ["aws_key", after(["aws_secret_access_key", " = "], of(`${ALNUM}/+`, 40))],
  ["aws_key", after(['"SecretAccessKey"', ': "'], of(`${ALNUM}/+`, 40))],
  ["google_key", after(["AI", "za"], of(`${ALNUM}_-`, 35))],
  ["google_key", after(["GOC", "SPX-"], of(`${ALNUM}_-`, 28))],
  ["google_key", after(["ya", "29."], of(`${ALNUM}_-`, 120))],
  ["azure_key", after(["Account", "Key="], of(`${ALNUM}/+`, 86)).map((text) => `${text}==`)],
  ["digitalocean_token", after(["dop", "_v1_"], of(`${DIGITS}abcdef`, 64))],
  ["github_token", after(["gh", "p_"], of(ALNUM, 36))],
  ["github_token", after(["gh", "s_"], of(ALNUM, 36))],
  ["github_token", after(["github", "_pat_"], of(ALNUM, 82))],
  ["gitlab_token", after(["gl", "pat-"], of(`${ALNUM}_-`, 20))],
  ["npm_token", after(["np", "m_"], of(ALNUM, 36))],
  ["pypi_token", after(["pypi", "-AgE"], of(`${ALNUM}_-`, 150))],
  [
    "slack_token",
    after(
      ["xo", "xb-"],
      tuple(of(DIGITS, 12), of(DIGITS, 12), of(ALNUM, 24)).map((parts) => parts.join("-")),
    ),
  ],
  [
    "slack_token",
    after(
      ["https://hooks.slack", ".com/services/"],
      tuple(of(ALNUM, 9), of(ALNUM, 11), of(ALNUM, 24)).map(([a, b, c]) => `T${a}/B${b}/${c}`),
    ),
  ],
  [
    "discord_token",
    after(
      ["https://discord.com/api", "/webhooks/"],
      tuple(of(DIGITS, 18), of(ALNUM, 68)).map((parts) => parts.join("/")),
    ),
  ],
  ["telegram_token", tuple(of("123456789", 9), of(`${ALNUM}_-`, 33)).map((parts) => parts.join(":AA"))],
  ["stripe_key", after(["sk", "_live_"], of(ALNUM, 24))],
  ["stripe_key", after(["rk", "_test_"], of(ALNUM, 99))],
  ["stripe_key", after(["wh", "sec_"], of(ALNUM, 32))],
  [
    "sendgrid_key",
    after(
      ["S", "G."],
      tuple(of(`${ALNUM}_-`, 22), of(`${ALNUM}_-`, 43)).map((parts) => parts.join(".")),
    ),
  ],
  ["vault_token", after(["hv", "s."], of(ALNUM, 24))],
  ["databricks_token", after(["da", "pi"], of(`${DIGITS}abcdef`, 32))],
  ["docker_token", after(["dckr", "_pat_"], of(`${ALNUM}_-`, 27))],
  ["rubygems_token", after(["rubygems", "_"], of(`${DIGITS}abcdef`, 48))],
  ["anthropic_key", after(["sk-", "ant-api03-"], of(`${ALNUM}_-`, 93)).map((text) => `${text}AA`)],
  ["openai_key", after(["sk-", "proj-"], of(`${ALNUM}_-`, 156))],
  ["model_key", after(["s", "k-"], of(ALNUM, 48))],
  ["model_key", after(["s", "k-"], of(`${DIGITS}abcdef`, 32))],
  ["model_key", after(["h", "f_"], of(ALNUM, 34))],
  ["private_key", after(["AGE-SECRET", "-KEY-1"], of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58))],
  ["private_key", after(["ns", "ec1"], of("qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58))],
  ["private_key", bytes(48).map((all) => `-----BEGIN PRIVATE KEY-----\n${all.toString("base64")}\n-----END PRIVATE KEY-----`)],
  ["private_key", bytes(48).map((all) => `"-----BEGIN RSA PRIVATE KEY-----\\n${all.toString("base64")}\\n"`)],
  ["private_key", bytes(48).map((all) => `-----BEGIN OPENSSH PRIVATE KEY-----\r\n${all.toString("base64")}\r\n`)],
  ["private_key", bytes(48).map((all) => `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n${all.toString("base64")}\n`)],
  [
    "private_key",
    bytes(48).map(
      (all) => `-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n${all.toString("base64")}\n`,
    ),
  ],
  ["private_key", seed.map((d) => JSON.stringify({ kty: "OKP", crv: "Ed25519", d, x: d }))],
  ["board_secret_key", seed.map((text) => `secret_key: ${text}`)],
  ["board_secret_key", seed.map((text) => `{"secret_key":"${text}","pk":"x"}`)],
  ["bearer_token", bytes(32).map((all) => `Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0x.${all.toString("base64url")}`)],
  ["bearer_token", bytes(32).map((all) => `"access_token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0x.${all.toString("base64url")}"`)],
];

describe("an agent that posts a credential by mistake is stopped", () => {
  test.each(SECRETS)("%s", (kind, secret) => {
    const around = tuple(
      anyText,
      constantFrom(" ", "\n", '"', "'", "=", "(", "`"),
      secret,
      constantFrom("", " ", "\n", '"', "'", ")", "`", ". Then"),
    );
    assert(
      property(around, ([before, left, text, right]) => {
        const found = findSecret(`${before}${left}${text}${right}`, "body");
        expect(found).toMatchObject({ kind, field: "body" });
        expect(JSON.stringify(found)).not.toContain(text.slice(-12));
      }),
      { seed: SEED, numRuns: 30 },
    );
  });

  test("wherever it stands, and its place is given in characters", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    expect(findSecret({ env: [{ name: "x" }, { value: `🙂é ${token}` }] }, "data")).toMatchObject({ field: "data.env.1.value", offset: 3 });
    expect(findSecret({ env: { [token]: true } }, "data")).toMatchObject({ field: "data.env", offset: 0 });
    expect(findSecret([`x-${token}`, token], "tags")).toMatchObject({ field: "tags.0", offset: 2 });
    expect(findSecret({ secret_key: drawn(32).toString("base64url") }, "data")).toMatchObject({ kind: "board_secret_key" });
    expect(findSecret({ kty: "OKP", d: drawn(32).toString("base64url") }, "data")).toMatchObject({
      kind: "private_key",
      field: "data",
    });
  });

  test("a name of a hundred characters around it is cut", () => {
    expect(findSecret({ ["n".repeat(100)]: `ghp_${"a1B2".repeat(9)}` }, "data")?.field).toBe(`data.${"n".repeat(40)}`);
  });
});

const hash = (length: number, as: "hex" | "base64" | "base64url") => bytes(length).map((all) => all.toString(as));
const HARMLESS: readonly (readonly [what: string, text: Arbitrary<string>])[] = [
  ["hashes of every usual length, in hex", oneof(...[16, 20, 28, 32, 48, 64].map((length) => hash(length, "hex")))],
  ["hashes in base64", oneof(...[16, 20, 32, 48, 64].map((length) => hash(length, "base64")))],
  ["public keys and hashes in base64url", oneof(...[16, 20, 32, 33, 64].map((length) => hash(length, "base64url")))],
  ["signatures", hash(64, "base64url")],
  ["agent ids", hash(10, "hex").map((text) => `ag_${text}`)],
  ["UUIDs", uuid()],
  [
    "ids of other services",
    tuple(constantFrom("sk", "task", "disk", "key", "id", "npm", "commit"), hash(16, "hex")).map((parts) => parts.join("_")),
  ],
  ["content addresses", hash(32, "base64").map((text) => `sha256-${text}`)],
  ["images in base64", base64String({ minLength: 2000, maxLength: 4000 }).map((text) => `![x](data:image/png;base64,${text})`)],
  ["key fingerprints", hash(32, "base64").map((text) => `SHA256:${text.replace(/=+$/, "")}`)],
  ["public keys with their name", hash(32, "base64url").map((text) => `{"pk":"${text}","public_key":"${text}"}`)],
  ["public keys as JWK", hash(32, "base64url").map((x) => JSON.stringify({ kty: "OKP", crv: "Ed25519", x }))],
  ["public keys in PEM", bytes(44).map((all) => `-----BEGIN PUBLIC KEY-----\n${all.toString("base64")}\n-----END PUBLIC KEY-----`)],
  ["certificates", bytes(400).map((all) => `-----BEGIN CERTIFICATE-----\n${all.toString("base64")}\n-----END CERTIFICATE-----`)],
  ["tokens without a word that they are anybody's", hash(32, "base64url").map((text) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0x.${text}`)],
  ["any text", anyText],
];

describe("what only looks like a secret is let through", () => {
  test.each(HARMLESS)("%s", (_what, text) => {
    assert(
      property(text, anyText, constantFrom("body", "sha256", "pk", "id", "token", "hash", "digest", "d"), (one, other, name) => {
        expect(findSecret(`${other} ${one} ${one}`, name)).toBeUndefined();
        expect(findSecret({ [name]: one }, "data")).toBeUndefined();
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  test.each([
    "The file must begin with -----BEGIN PRIVATE KEY----- and end with -----END PRIVATE KEY-----.",
    "Search for `-----BEGIN RSA PRIVATE KEY-----` in the repository.",
    "sk-learn is a library; task-0123456789abcdef0123456789abcdef is a task; npm_config_registry is a variable.",
    'POST {"secret_key":"...","message":{}} or with <your secret key of 43 characters>',
    "export AWS_SECRET_ACCESS_KEY=$(vault read -field=key aws/creds/readonly/long/path/of/it)",
    "ghp_ tokens have 36 characters, glpat- tokens 20, AKIA ids 16.",
    "https://example.org/a/very/long/path/with-many-words_and_underscores/that/goes/on/and/on/index.html",
  ])("words about secrets: %s", (text) => {
    expect(findSecret(text, "body")).toBeUndefined();
  });
});

test("the author's own key is known by its public half, and asked about for texts of that form only", () => {
  const own = drawn(32).toString("base64url");
  const asked: string[] = [];
  const isOwn = (text: string): boolean => asked.push(text) > 0 && text === own;
  expect(findSecret(`abc ${"a".repeat(64)} ${own}.`, "body", isOwn)).toMatchObject({ kind: "board_secret_key", offset: 69 });
  expect(asked).toEqual([own]);
});

test("a secret inside a run of many thousand characters is found, wherever it stands", () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const run = "Ab1".repeat(20_000);
  for (const text of [`${token}-${run}`, `${run}-${token}-${run}`, `${run}-${token}`]) {
    expect(findSecret(text, "blob")).toMatchObject({ kind: "github_token", offset: text.indexOf(token) });
  }
  expect(findSecret(`${run}-ghp_`, "blob")).toBeUndefined();
});

test("long runs are found exactly where there are some", () => {
  const piece = tuple(integer({ min: 0, max: 25 }), constantFrom(" ", ".", "é", "\u{1F600}", "="));
  assert(
    property(array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.map(([count, end]) => "aZ09+/_-".repeat(4).slice(0, count) + end).join("");
      expect(nextRun(text, 20)).toBe(text.search(/[A-Za-z0-9+/_-]{20}/));
    }),
    { seed: SEED, numRuns: 1000 },
  );
});
