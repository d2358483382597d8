"""The vectors for transparency logs, read by a second reader that was written from RFC 6962, RFC 9162 and C2SP's pages.

Run it with `python3 -m unittest test_tlog` in this folder. Only the check of one Ed25519 signature is client.py's.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import client

VECTORS = Path(__file__).resolve().parent.parent.parent / "vectors" / "tlog"
ED25519, COSIGNATURE_V1 = 1, 4


def vectors(name: str) -> Dict[str, Any]:
    return json.loads((VECTORS / name).read_text("utf-8"))


class Fault(Exception):
    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def require(holds: object, what: str = "malformed") -> None:
    if not holds:
        raise Fault(what)


def unbase64(text: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Fault("malformed") from None
    require(base64.b64encode(data).decode() == text)
    return data


def decimal(text: str) -> int:
    require(re.fullmatch(r"0|[1-9][0-9]{0,15}", text, re.ASCII))
    return int(text)


# --- The tree: RFC 6962, section 2.1, and the checks as RFC 9162 words them


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right)


def root_of(leaves: Sequence[bytes]) -> bytes:
    """By adding one leaf after the other to a stack of whole subtrees."""
    stack: List[Tuple[int, bytes]] = []
    for leaf in leaves:
        height, digest = 0, sha256(b"\x00" + leaf)
        while stack and stack[-1][0] == height:
            digest, height = node(stack.pop()[1], digest), height + 1
        stack.append((height, digest))
    if not stack:
        return sha256(b"")
    digest = stack.pop()[1]
    while stack:
        digest = node(stack.pop()[1], digest)
    return digest


def check_inclusion(size: int, root: bytes, index: int, leaf_hash: bytes, proof: Sequence[bytes]) -> None:
    require(index < size, "proof")
    fn, sn, r = index, size - 1, leaf_hash
    for p in proof:
        require(sn, "proof")
        if fn & 1 or fn == sn:
            r = node(p, r)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = node(r, p)
        fn, sn = fn >> 1, sn >> 1
    require(sn == 0 and r == root, "proof")


def check_consistency(first: int, first_root: bytes, second: int, second_root: bytes, proof: Sequence[bytes]) -> None:
    require(first <= second, "proof")
    require((first or first_root == sha256(b"")) and (second or second_root == sha256(b"")), "proof")
    if first in (0, second):
        require(not proof and (first == 0 or first_root == second_root), "proof")
        return
    path = list(proof)
    if first & (first - 1) == 0:
        path.insert(0, first_root)
    require(path, "proof")
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for c in path[1:]:
        require(sn, "proof")
        if fn & 1 or fn == sn:
            fr, sr = node(c, fr), node(c, sr)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node(sr, c)
        fn, sn = fn >> 1, sn >> 1
    require(sn == 0 and fr == first_root and sr == second_root, "proof")


# --- Notes: signed-note, tlog-cosignature, tlog-checkpoint


class Key(NamedTuple):
    name: str
    id: bytes
    type: int
    public: bytes


def is_name(name: str) -> bool:
    return name != "" and "+" not in name and not any(c.isspace() or c < " " for c in name)


def read_vkey(text: str) -> Key:
    parts = text.split("+", 2)
    require(len(parts) == 3 and is_name(parts[0]) and re.fullmatch("[0-9a-f]{8}", parts[1]))
    data = unbase64(parts[2])
    key_id = sha256(parts[0].encode() + b"\n" + data)[:4]
    require(len(data) == 33 and data[0] in (ED25519, COSIGNATURE_V1) and key_id.hex() == parts[1])
    return Key(parts[0], key_id, data[0], data[1:])


class Note(NamedTuple):
    text: str
    signatures: List[Tuple[str, bytes, bytes]]


def read_note(note: str) -> Note:
    require(not any(c < " " and c != "\n" for c in note))
    text, empty, lines = note.rpartition("\n\n")
    require(empty and lines.endswith("\n"))
    signatures = []
    for line in lines[:-1].split("\n"):
        parts = line.split(" ")
        require(len(parts) == 3 and parts[0] == "\u2014" and is_name(parts[1]))
        data = unbase64(parts[2])
        require(len(data) > 4)
        signatures.append((parts[1], data[:4], data[4:]))
    return Note(text + "\n", signatures)


def holds(key: Key, text: str, signature: bytes) -> bool:
    message = text.encode()
    if key.type == COSIGNATURE_V1:
        message = f"cosignature/v1\ntime {int.from_bytes(signature[:8], 'big')}\n".encode() + message
        signature = signature[8:]
    try:
        client.verify_signature(key.public, message, signature)
    except client.ProofError:
        return False
    return True


def signers(note: Note, keys: Sequence[Key]) -> List[Key]:
    """One for each known key that signed; a known key's signature that does not hold spoils the note."""
    found: List[Key] = []
    for name, key_id, signature in note.signatures:
        for key in keys:
            if (key.name, key.id) == (name, key_id):
                require(holds(key, note.text, signature), "signature")
                if key not in found:
                    found.append(key)
    return found


def read_checkpoint(text: str) -> Tuple[str, int, bytes]:
    lines = text.split("\n")
    require(len(lines) >= 4 and lines.pop() == "" and all(lines))
    root = unbase64(lines[2])
    require(len(root) == 32)
    return lines[0], decimal(lines[1]), root


# --- Whom to believe: tlog-policy and tlog-proof

Quorum = Callable[[Set[Key]], bool]


class Policy(NamedTuple):
    logs: List[Key]
    witnesses: List[Key]
    quorum: Quorum


def at_least(count: int, members: Sequence[Quorum]) -> Quorum:
    return lambda signed: sum(member(signed) for member in members) >= count


def read_policy(text: str) -> Policy:
    require(text.endswith("\n") and not any(c < " " and c not in "\t\n" for c in text))
    logs: List[Key] = []
    witnesses: List[Key] = []
    named: Dict[str, Quorum] = {}
    members: List[str] = []
    quorum: Optional[Quorum] = None

    def key_of(vkey: str, kind: int, others: List[Key]) -> Key:
        key = read_vkey(vkey)
        require(key.type == kind and key.public not in [other.public for other in others])
        others.append(key)
        return key

    def define(name: str, meaning: Quorum) -> None:
        require(name != "none" and name not in named)
        named[name] = meaning

    for line in text[:-1].split("\n"):
        word, *rest = re.split("[ \t]+", line.strip(" \t"))
        if word == "" or word.startswith("#"):
            continue
        if word == "log":
            require(len(rest) in (1, 2))
            key_of(rest[0], ED25519, logs)
        elif word == "witness":
            require(len(rest) in (2, 3))
            define(rest[0], lambda signed, key=key_of(rest[1], COSIGNATURE_V1, witnesses): key in signed)  # type: ignore[misc]
        elif word == "group":
            require(len(rest) > 2 and all(one in named and one not in members for one in rest[2:]))
            members += rest[2:]
            require(len(set(members)) == len(members))
            count = {"any": 1, "all": len(rest) - 2}.get(rest[1]) or decimal(rest[1])
            require(1 <= count <= len(rest) - 2)
            define(rest[0], at_least(count, [named[one] for one in rest[2:]]))
        elif word == "quorum":
            require(quorum is None and len(rest) == 1 and (rest[0] == "none" or rest[0] in named))
            quorum = at_least(0, []) if rest[0] == "none" else named[rest[0]]
        else:
            raise Fault("malformed")
    if quorum is None:
        raise Fault("malformed")
    return Policy(logs, witnesses, quorum)


def check_proof(text: str, leaf: bytes, policy: Policy) -> None:
    head, empty, signed = text.partition("\n\n")
    version, *lines = head.split("\n")
    require(empty and version == "c2sp.org/tlog-proof@v1")
    if lines and lines[0].startswith("extra "):
        require(unbase64(lines.pop(0)[6:]))
    require(lines and lines[0].startswith("index "))
    index, hashes = decimal(lines[0][6:]), [unbase64(line) for line in lines[1:]]
    require(len(hashes) <= 63 and all(len(one) == 32 for one in hashes))
    note = read_note(signed)
    origin, size, root = read_checkpoint(note.text)
    keys = [key for key in policy.logs if key.name == origin]
    require(keys, "origin")
    require(signers(note, keys), "signature")
    require(policy.quorum(set(signers(note, policy.witnesses))), "quorum")
    check_inclusion(size, root, index, sha256(b"\x00" + leaf), hashes)


def fault_of(act: Callable[[], object]) -> Optional[str]:
    try:
        act()
    except Fault as fault:
        return fault.what
    return None


class TlogVectors(unittest.TestCase):
    """The files that the TypeScript library is held to as well."""

    def test_tree(self) -> None:
        tree = vectors("tree.json")
        leaves = [f"leaf {i}".encode() for i in range(600)]
        for one in tree["roots"]:
            self.assertEqual(base64.b64encode(root_of(leaves[: one["size"]])).decode(), one["root"])
        for one in tree["inclusion"]:
            proof = [unbase64(text) for text in one["proof"]]
            leaf_hash = sha256(b"\x00" + one["leaf"].encode())
            found = fault_of(lambda: check_inclusion(one["size"], unbase64(one["root"]), one["index"], leaf_hash, proof))
            self.assertEqual(found, None if one["holds"] else "proof", one["name"])
        for one in tree["consistency"]:
            proof = [unbase64(text) for text in one["proof"]]
            heads = [value for head in (one["older"], one["newer"]) for value in (head["size"], unbase64(head["root"]))]
            self.assertEqual(fault_of(lambda: check_consistency(*heads, proof)), None if one["holds"] else "proof", one["name"])

    def test_tiles(self) -> None:
        leaves = [f"leaf {i}".encode() for i in range(600)]
        hashes = [sha256(b"\x00" + leaf) for leaf in leaves]
        made: Dict[str, bytes] = {}
        for index in range(3):
            part = slice(index * 256, index * 256 + 256)
            path = f"{index:03}" + (f".p/{600 - 512}" if index == 2 else "")
            made[f"tile/0/{path}"] = b"".join(hashes[part])
            made[f"tile/entries/{path}"] = b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in leaves[part])
        made["tile/1/000.p/2"] = root_of(leaves[:256]) + root_of(leaves[256:512])
        listed = {one["path"]: one["sha256"] for one in vectors("tree.json")["tiles"]}
        self.assertEqual({path: base64.b64encode(sha256(data)).decode() for path, data in made.items()}, listed)

    def test_notes(self) -> None:
        notes = vectors("notes.json")
        keys = [read_vkey(one["vkey"]) for one in notes["keys"]]
        self.assertEqual([(key.name, key.type) for key in keys], [(one["name"], one["type"]) for one in notes["keys"]])
        for vkey in notes["bad_vkeys"]:
            self.assertEqual(fault_of(lambda: read_vkey(vkey)), "malformed", vkey)
        for one in notes["notes"]:
            with self.subTest(one["name"]):
                self.assertEqual(fault_of(lambda: signers(read_note(one["note"]), keys)), one["fault"])
                if one["fault"] is None:
                    self.assertEqual([key.name for key in signers(read_note(one["note"]), keys)], one["signed"])

    def test_policies(self) -> None:
        for one in vectors("proofs.json")["policies"]:
            with self.subTest(one["name"]):
                if one["met"] is None:
                    self.assertEqual(fault_of(lambda: read_policy(one["policy"])), "malformed")
                    continue
                policy = read_policy(one["policy"])
                for case in one["met"]:
                    self.assertEqual(policy.quorum({key for key in policy.witnesses if key.name in case["signed"]}), case["met"], case)

    def test_proofs(self) -> None:
        proofs = vectors("proofs.json")
        policy = read_policy(proofs["policy"])
        for one in proofs["proofs"]:
            with self.subTest(one["name"]):
                self.assertEqual(fault_of(lambda: check_proof(one["proof"], one["leaf"].encode(), policy)), one["fault"])

    def test_cosignatures_of_a_witness(self) -> None:
        witness = vectors("witness.json")
        keys = [read_vkey(witness["log"]), read_vkey(witness["witness"])]
        answered = [one for one in witness["steps"] if one["status"] == 200]
        self.assertEqual(len(answered), 4)
        for one in answered:
            note = read_note(one["body"].partition("\n\n")[2] + one["answer"])
            self.assertEqual(signers(note, keys), keys, one["name"])
            self.assertEqual(int.from_bytes(note.signatures[-1][2][:8], "big"), witness["time"])


if __name__ == "__main__":
    unittest.main()
