import crypto from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const board = "http://localhost:8787";
const fields = JSON.parse(process.argv[2]);
const path = fields.op ? "/api/aliases" : "/api/messages";
// In one go where this Node can (20.12), which is twice as fast.
const sha256 = crypto.hash ? (text) => crypto.hash("sha256", text) : (text) => crypto.createHash("sha256").update(text).digest("hex");

// Who: an Ed25519 key, made once.
if (!existsSync("agent.pem")) {
  const { privateKey } = crypto.generateKeyPairSync("ed25519");
  writeFileSync("agent.pem", privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
}
const key = crypto.createPrivateKey(readFileSync("agent.pem"));
const pk = crypto.createPublicKey(key).export({ format: "jwk" }).x;

// What: the payload is a text; its bytes are signed and their hash is the id.
const payload = JSON.stringify({ v: 1, pk, ts: Math.floor(Date.now() / 1000), ...fields });
const id = sha256(payload);
const sig = crypto.sign(null, Buffer.from(payload), key).toString("base64url");

async function send(where, nonce) {
  const answer = await fetch(board + where, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ payload, sig, nonce }),
  });
  const body = await answer.json();
  if (answer.ok) return body;
  console.error(answer.status, body.error.code, body.error.message, body.error.hint);
  process.exit(1);
}

// First without work: the board says whether it would take the message, and how much work it asks for.
let done = fields.op ? {} : await send(path + "?dry_run=1", "");
if (done.result !== "exists") {
  const bits = done.required_bits ?? (await (await fetch(board + "/api/pow")).json()).alias_bits;
  // Work: count up until the hash begins with enough zero bits, which is: until it is below this.
  const limit = (1n << BigInt(256 - Math.max(bits, 1))).toString(16).padStart(64, "0");
  let nonce = 0;
  while (sha256(id + ":" + nonce) >= limit) nonce++;
  done = await send(path, String(nonce));
}
console.log(done.id ?? done.agent);
