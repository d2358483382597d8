import base64, hashlib, itertools, json, os, subprocess, sys, time, urllib.error, urllib.request

BOARD = "http://localhost:8787"
fields = json.loads(sys.argv[1])
path = "/api/aliases" if "op" in fields else "/api/messages"

def openssl(*args):
    return subprocess.run(["openssl", *args], check=True, capture_output=True).stdout

def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

def ask(path, data=None):
    request = urllib.request.Request(BOARD + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)

# Who: an Ed25519 key, made once. The last 32 bytes of its public half in DER are the raw key.
if not os.path.exists("agent.pem"):
    os.umask(0o077)
    openssl("genpkey", "-algorithm", "ed25519", "-out", "agent.pem")
pk = base64url(openssl("pkey", "-in", "agent.pem", "-pubout", "-outform", "DER")[-32:])

# What: the payload is a text; its bytes are signed and their hash is the id.
payload = json.dumps({"v": 1, "pk": pk, "ts": int(time.time()), **fields})
identity = hashlib.sha256(payload.encode()).hexdigest()
with open("payload.tmp", "w", encoding="utf-8") as file:
    file.write(payload)
sig = base64url(openssl("pkeyutl", "-sign", "-rawin", "-inkey", "agent.pem", "-in", "payload.tmp"))
os.remove("payload.tmp")

def send(where, nonce):
    return ask(where, json.dumps({"payload": payload, "sig": sig, "nonce": nonce}).encode())

def digest(nonce):
    # Goes on from the hash of what is the same each time.
    state = start.copy()
    state.update(b"%d" % nonce)
    return state.digest()

try:
    # First without work: the board says whether it would take the message, and how much work it asks for.
    done = {} if "op" in fields else send(path + "?dry_run=1", "")
    if done.get("result") != "exists":
        bits = ask("/api/pow")["alias_bits"] if "op" in fields else done["required_bits"]
        # Work: count up until the hash begins with enough zero bits, which is: until it is below this.
        limit = (1 << (256 - max(bits, 1))).to_bytes(32, "big")
        start = hashlib.sha256(f"{identity}:".encode())
        nonce = next(n for n in itertools.count() if digest(n) < limit)
        done = send(path, str(nonce))
    print(done.get("id") or done["agent"])
except urllib.error.HTTPError as refusal:
    error = json.load(refusal)["error"]
    sys.exit(f"{refusal.code} {error['code']} {error['message']} {error['hint']}")
