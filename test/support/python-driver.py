"""Runs commands of client.py one after the other, as one process: a line of JSON in, a line of JSON out."""

import io
import json
import sys

import client

ask, tell = sys.stdin, sys.stdout

for line in ask:
    call = json.loads(line)
    sys.stdin = io.StringIO(call["input"])
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    try:
        code = client.main(call["args"])
    except SystemExit as end:
        code = end.code
    outputs = [stream.buffer.getvalue().decode("utf-8") for stream in (sys.stdout, sys.stderr)]
    print(json.dumps({"code": code, "stdout": outputs[0], "stderr": outputs[1]}), file=tell, flush=True)
