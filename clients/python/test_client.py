"""client.py held to the protocol vectors, to the public Ed25519 vectors and to the rules of its own parts.

Run it with `python3 -m unittest test_client` in this folder. VECTORS_DIR names the public vectors, where they are at hand.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import itertools
import json
import math
import os
import stat
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Dict, Optional

import client

HERE = Path(__file__).resolve().parent
PROTOCOL = HERE.parent.parent / "vectors" / "protocol"
PUBLIC = Path(os.environ.get("VECTORS_DIR", "/nonexistent")) / "ed25519"
BACKENDS = client.ed25519_backends()


def protocol(name: str) -> Dict[str, Any]:
    return json.loads((PROTOCOL / name).read_text("utf-8"))


def verdict(pk: bytes, message: bytes, sig: bytes, backend: client.Ed25519) -> Optional[str]:
    """The code of the refusal, or None."""
    try:
        client.verify_signature(pk, message, sig, backend)
    except client.ProofError as error:
        return error.code
    return None


class ProtocolVectors(unittest.TestCase):
    """The files that the board and every other client are held to as well."""

    def test_messages(self) -> None:
        for one in protocol("messages.json")["messages"]:
            with self.subTest(one["name"]):
                seed, payload = client.from_base64url(one["seed"]), one["payload"]
                self.assertEqual(client.agent_id(one["pk"]), one["agent_id"])
                self.assertEqual(client.message_id(payload), one["id"])
                self.assertEqual(client.work_bits(one["id"], one["nonce"]), one["bits"])
                self.assertEqual(client.check_envelope(one, one["bits"]), one["id"])
                for backend in BACKENDS:
                    self.assertEqual(client.to_base64url(backend.public_key(seed)), one["pk"], backend.name)
                    self.assertEqual(client.to_base64url(backend.sign(seed, payload.encode("utf-8"))), one["sig"], backend.name)

    def test_signatures(self) -> None:
        for one in protocol("signatures.json")["signatures"]:
            pk, sig = client.from_base64url(one["pk"]), client.from_base64url(one["sig"])
            for backend in BACKENDS:
                with self.subTest(one["name"], backend=backend.name):
                    self.assertEqual(verdict(pk, one["text"].encode("utf-8"), sig, backend), one["code"])

    def test_work(self) -> None:
        for one in protocol("work.json")["work"]:
            self.assertEqual(client.sha256_hex(f"{one['id']}:{one['nonce']}"), one["hash"])
            self.assertEqual(client.work_bits(one["id"], one["nonce"]), one["bits"])

    def test_spellings(self) -> None:
        spellings = protocol("spellings.json")
        rules = {"pk": client.PUBLIC_KEY, "sig": client.SIGNATURE, "nonce": client.NONCE, "agent_id": client.AGENT_ID, "alias": client.ALIAS}
        for field, rule in rules.items():
            self.assertEqual([text for text in spellings[field]["good"] if not rule.fullmatch(text)], [], field)
            self.assertEqual([text for text in spellings[field]["bad"] if rule.fullmatch(text)], [], field)

    def test_words(self) -> None:
        told = protocol("words.json")
        for one in told["words"]:
            key = client.Key(client.from_base64url(one["seed"]))
            self.assertEqual((key.words, client.Key.from_words(one["words"]).pk), (one["words"], key.pk))
        first = client.Key.from_words(told["words"][0]["words"])
        for text in told["spellings"]:
            self.assertEqual(client.Key.from_words(text).pk, first.pk)
        for one in told["bad"]:
            with self.subTest(one["name"]), self.assertRaises(client.ClientError):
                client.Key.from_words(one["words"])

    def test_keys(self) -> None:
        keys = protocol("keys.json")
        for one in keys["logs"]:
            with self.subTest(one["name"]):
                replay = client.LogReplay()
                for entry in one["entries"]:
                    replay.take(entry)
                book = replay.keys.finish(True)
                for agent, holder in one["holders"].items():
                    current = book.lines[book.principal_of(agent)].current
                    self.assertEqual(None if book.keys[current].ended_at is not None else current, holder)
                self.assertGreater(client.check_log(one["entries"], one["checkpoint"]).key_operations, 0)
        for one in keys["impossible"]:
            with self.subTest(one["name"]), self.assertRaises(client.LogFault) as caught:
                client.check_log(one["entries"], one["checkpoint"])
            self.assertEqual({"seq": caught.exception.seq, "what": caught.exception.what}, one["fault"], one["name"])
        trimmed = client.check_log(keys["logs"][0]["entries"][1:], keys["logs"][0]["checkpoint"], oldest=2)
        self.assertEqual((trimmed.key_operations, trimmed.key_operations_skipped), (1, 1))

    def test_chain(self) -> None:
        chain = protocol("chain.json")
        report = client.check_log(chain["entries"], chain["checkpoint"])
        self.assertEqual((report.entries, report.messages, report.erased, report.acks, report.first_seq), (11, 6, 1, 1, 1))
        self.assertEqual(report.head.hash, chain["checkpoint"]["hash"])
        for one in chain["tampered"]:
            with self.subTest(one["name"]), self.assertRaises(client.LogFault) as caught:
                client.check_log(one["entries"], one["checkpoint"])
            self.assertEqual({"seq": caught.exception.seq, "what": caught.exception.what}, one["fault"], one["name"])

    def test_refusals_that_need_no_board(self) -> None:
        refusals = protocol("refusals.json")
        for one in refusals["proof"]:
            with self.subTest(one["name"]), self.assertRaises(client.ProofError) as caught:
                client.check_envelope(json.loads(one["body"]), refusals["required_bits"])
            self.assertEqual(caught.exception.code, one["code"], one["name"])

    def test_too_little_work_is_told_in_good_english(self) -> None:
        one = protocol("messages.json")["messages"][0]
        for bits, words in ((1, "proves 1 bit of work, not 2."), (2, "proves 2 bits of work, not 3.")):
            nonce = next(str(n) for n in itertools.count() if client.work_bits(one["id"], str(n)) == bits)
            with self.assertRaisesRegex(client.ProofError, words):
                client.check_envelope({**one, "nonce": nonce}, bits + 1)


class PublicVectors(unittest.TestCase):
    """What others have published about Ed25519, for every backend."""

    @unittest.skipUnless(PUBLIC.is_dir(), "no vectors at VECTORS_DIR")
    def test_wycheproof(self) -> None:
        groups = json.loads((PUBLIC / "wycheproof_ed25519_test.json").read_text("utf-8"))["testGroups"]
        cases = [(group["publicKey"]["pk"], one) for group in groups for one in group["tests"]]
        self.assertGreater(len(cases), 100)
        for backend in BACKENDS:
            wrong = [
                one["tcId"]
                for pk, one in cases
                if (verdict(bytes.fromhex(pk), bytes.fromhex(one["msg"]), bytes.fromhex(one["sig"]), backend) is None) != (one["result"] == "valid")
            ]
            self.assertEqual(wrong, [], backend.name)

    @unittest.skipUnless(PUBLIC.is_dir(), "no vectors at VECTORS_DIR")
    def test_speccheck(self) -> None:
        cases = json.loads((PUBLIC / "speccheck_cases.json").read_text("utf-8"))
        # Cofactorless and strict: of the twelve only the one with mixed order, for which the plain equation holds, is taken.
        for backend in BACKENDS:
            taken = [
                number
                for number, one in enumerate(cases)
                if verdict(bytes.fromhex(one["pub_key"]), bytes.fromhex(one["message"]), bytes.fromhex(one["signature"]), backend) is None
            ]
            self.assertEqual(taken, [3], backend.name)


class Parts(unittest.TestCase):
    """Rules of this client that no vector can show."""

    def test_rfc_8032_section_7_1(self) -> None:
        seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
        for backend in BACKENDS:
            self.assertEqual(backend.public_key(seed).hex(), "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
            self.assertTrue(backend.sign(seed, b"").hex().startswith("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"))

    def test_backends_agree_on_damaged_signatures(self) -> None:
        key = client.Key(bytes(range(32)))
        sig = client.from_base64url(key.sign("text"))
        pk = client.from_base64url(key.pk)
        for bit in range(0, 512, 7):
            damaged = bytearray(sig)
            damaged[bit // 8] ^= 1 << bit % 8
            self.assertEqual({verdict(pk, b"text", bytes(damaged), backend) for backend in BACKENDS}, {"bad_signature"})

    def test_the_less_room_is_left_the_more_work_is_brought(self) -> None:
        def told(limit: str, policy: str = '"writes";q=60;w=30') -> int:
            headers = http.client.HTTPMessage()
            headers["RateLimit"], headers["RateLimit-Policy"] = limit, policy
            board = client.Board()
            board._hear(headers)
            return board.extra_bits

        self.assertEqual(client.Board().extra_bits, 0)
        rooms = {left: told(f'"writes";r={left};t=1000') for left in (60, 30, 29, 15, 14, 7, 3, 0)}
        self.assertEqual(rooms, {60: 0, 30: 0, 29: 1, 15: 1, 14: 2, 7: 3, 3: 4, 0: 4})
        # Long ago, of another limit, and nonsense.
        self.assertEqual([told('"writes";r=0;t=0'), told('"agent_writes";r=0;t=3'), told("r=0"), told('"writes";r=0;t=9', "")], [0, 0, 0, 0])

    def test_an_agent_that_has_used_up_its_own_pace_waits_its_turn(self) -> None:
        def turn(left: int, seconds: int) -> float:
            headers = http.client.HTTPMessage()
            headers["RateLimit"] = f'"writes";r=59;t=1, "agent_writes";r={left};t={seconds}'
            headers["RateLimit-Policy"] = '"writes";q=60;w=30, "agent_writes";q=20;w=60'
            board = client.Board()
            board._hear(headers)
            return board._turn - time.monotonic()

        # Of 20 tokens that come back in 60 seconds the first is there three seconds after the last was taken.
        for left, seconds, low, high in ((0, 60, 2, 3), (0, 58, 0, 1), (1, 57, -math.inf, 0)):
            self.assertTrue(low < turn(left, seconds) <= high)

    def test_mining_with_one_and_with_several_processes(self) -> None:
        id = client.message_id("mining")
        for bits, processes in ((0, 1), (1, 1), (12, 1), (12, 2), (20, 2)):
            nonce = client.mine(id, bits, processes)
            self.assertRegex(nonce, client.NONCE)
            self.assertGreaterEqual(client.work_bits(id, nonce), bits)

    def test_mining_that_has_an_end(self) -> None:
        id = client.message_id("mining")
        for processes in (1, 2):
            self.assertIsNone(client._mine_within(0.05, id, 40, processes))

    def test_work_that_nobody_can_do_is_not_begun(self) -> None:
        with self.assertRaisesRegex(client.ClientError, "200 bits"):
            client.mine(client.message_id("mining"), 200)

    def test_a_key_is_private_and_never_overwritten(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "new" / "agent.key"
            key = client.Key.generate()
            key.save(file)
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
            self.assertEqual(client.Key.load(file).pk, key.pk)
            with self.assertRaisesRegex(client.ClientError, "never overwritten"):
                client.Key.generate().save(file)
            file.chmod(0o644)
            with self.assertRaisesRegex(client.ClientError, "chmod 600"):
                client.Key.load(file)
            self.assertNotIn(file.read_text().strip(), repr(key))

    def test_events_that_are_cut_off_are_none(self) -> None:
        text = b'retry: 3000\n\n: ka\n\nid: 7\r\nevent: gone\r\ndata: {"id":\ndata: 1}\n\nid: 8\nevent: message\ndata: {"a":1}\n'
        reader = client.EventReader(io.BytesIO(text))
        self.assertEqual(list(reader), [client.Event("gone", 7, {"id": 1})])
        self.assertEqual(reader.retry_ms, 3000)
        self.assertEqual(len(list(client.EventReader(io.BytesIO(text + b"\n")))), 2)

    def test_a_log_must_go_on_from_the_head_that_was_found_good(self) -> None:
        chain = protocol("chain.json")
        entries, checkpoint = chain["entries"], chain["checkpoint"]
        known = client.LogHead(checkpoint["pk"], 4, entries[3]["hash"])
        self.assertEqual(client.check_log(entries[4:], checkpoint, known=known).entries, 7)
        for wrong, what in (
            (client.LogHead(checkpoint["pk"], 4, "0" * 64), "prev"),
            (client.LogHead("A" * 43, 4, entries[3]["hash"]), "checkpoint"),
            (client.LogHead(checkpoint["pk"], 12, "0" * 64), "head"),
            (client.LogHead(checkpoint["pk"], 11, "0" * 64), "head"),
        ):
            with self.assertRaises(client.LogFault) as caught:
                client.check_log(entries[wrong.seq :], checkpoint, known=wrong)
            self.assertEqual(caught.exception.what, what)

    def test_a_log_whose_start_is_forgotten_is_replayed_from_where_it_starts(self) -> None:
        chain = protocol("chain.json")
        report = client.check_log(chain["entries"][5:], chain["checkpoint"], oldest=6)
        self.assertEqual((report.first_seq, report.entries), (6, 6))
        self.assertEqual(client.check_log([], chain["checkpoint"], oldest=12).entries, 0)

    def test_nonsense_in_place_of_entries_is_a_fault_and_no_crash(self) -> None:
        chain = protocol("chain.json")
        for seq, change in ((1, {"raw": 5}), (1, {"raw": {"payload": 1}}), (5, {"detail": {}}), (2, {"at": "2026-13-01T00:00:00.000Z"}), (3, {"id": "\ud800"})):
            entries = [{**entry, **change} if entry["seq"] == seq else entry for entry in chain["entries"]]
            with self.assertRaises(client.LogFault) as caught:
                client.check_log(entries, chain["checkpoint"])
            self.assertEqual(caught.exception.seq, seq)

    def test_text_of_strangers_cannot_drive_the_terminal(self) -> None:
        shown = client.printable("a\x1b[2J\u202eb\u200d\x9b\u2028 Grüße 世界")
        self.assertEqual(shown, "a\\x1b[2J\\u202eb\\u200d\\x9b\\u2028 Grüße 世界")

    def test_wrong_options_end_with_2(self) -> None:
        for wrong, words in (
            (["no-such-command"], "There is no command"),
            (["post", "note", "--data", "[1]"], "give one JSON object, not '[1]'"),
            (["post", "note", "--data", "{"], "this is not JSON"),
            (["post", "note", "--data", '{"a":' * 100_000], "this is not JSON"),
            (["post", "note", "--ref", "reply="], "give REL=ID, not 'reply='"),
            (["list", "--where", "=value"], "give NAME=VALUE, not '=value'"),
        ):
            said = io.StringIO()
            with self.subTest(words), contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as caught:
                client.main(wrong)
            self.assertEqual(caught.exception.code, 2)
            self.assertIn(words, said.getvalue())


if __name__ == "__main__":
    unittest.main()
