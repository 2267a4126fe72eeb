#!/usr/bin/env python3
"""Thousands of slow streams through one worker: memory per stream, and nothing lost.

Every stream's events are read to the end; tokens are held against the engine's own log, which is
written by another process. Options: --streams N, --tokens N, --step SECONDS.
"""

import argparse
import json
import os
import resource
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

WEIR = os.environ.get("WEIR_BIN", "build/release/weir")
ENGINE, PORT, ADMIN = 18100, 18180, 18181
MODEL = "llama3.1:8b"
CONFIG = """
server: {{ listen: "127.0.0.1:{port}", threads: 1 }}
admin: {{ listen: "127.0.0.1:{admin}" }}
data_dir: {dir}/weir-data
tiers:
  FREE: {{ limits: [100000000 requests/min, 100000000000 tokens/min, 100000 concurrent] }}
providers:
  engine: {{ url: "http://127.0.0.1:{engine}", engine: vllm }}
models:
  {model}: {{ targets: [engine], limits: [100000000 requests/min] }}
timeouts: {{ connect: 10s, first_token: 120s, token_gap: 120s }}
"""


def resident_bytes(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def wait_for(url):
    for _ in range(100):
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.read().decode()
        except OSError:
            time.sleep(0.05)
    sys.exit(f"streams: nothing answers at {url}")


class Stream:
    """One caller: what it has received, and whether its answer ended in order."""

    def __init__(self, number, tokens):
        body = json.dumps(
            {
                "model": MODEL,
                "stream": True,
                "max_tokens": tokens,
                "ignore_eos": True,
                "stream_options": {"include_usage": True},
                "messages": [{"role": "user", "content": "hello"}],
            }
        )
        request = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nX-Request-Id: s{number}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        )
        self.socket = socket.create_connection(("127.0.0.1", PORT), timeout=30)
        self.socket.sendall(request.encode())
        self.socket.setblocking(False)
        self.contents = 0
        self.tail = b""
        self.done = False
        self.failed = False

    def read(self):
        try:
            got = self.socket.recv(65536)
        except BlockingIOError:
            return
        if not got:
            self.failed = not self.done
            self.done = True
            return
        text = self.tail + got
        cut = text.rfind(b"\n\n") + 2 if b"\n\n" in text else 0
        self.contents += text[:cut].count(b'"delta":{"content":')
        self.tail = text[cut:][-4096:]
        if b"data: [DONE]" in text:
            self.done = True


def run(options, pid):
    before = resident_bytes(pid)
    selector = selectors.DefaultSelector()
    streams = []
    for number in range(options.streams):
        streams.append(Stream(number, options.tokens))
        selector.register(streams[-1].socket, selectors.EVENT_READ, streams[-1])
        if number % 50 == 0:
            drain(selector, 0)
    open_at_once, at_most = 0, 0
    deadline = time.monotonic() + options.tokens * options.step * 3 + 120
    while any(not one.done for one in streams) and time.monotonic() < deadline:
        drain(selector, 0.5)
        waiting = sum(1 for one in streams if not one.done and one.contents > 0)
        if waiting >= open_at_once:
            open_at_once, at_most = waiting, max(at_most, resident_bytes(pid))
    for one in streams:
        one.socket.close()
    return streams, open_at_once, (at_most - before) / max(1, open_at_once)


def drain(selector, patience):
    for key, _ in selector.select(patience):
        key.data.read()
        if key.data.done:
            selector.unregister(key.fileobj)


def engine_tokens(path):
    with open(path, encoding="utf-8") as log:
        lines = [json.loads(line) for line in log]
    return sum(line["completion_tokens"] for line in lines)


def settled_tokens():
    for line in wait_for(f"http://127.0.0.1:{ADMIN}/metrics").splitlines():
        if line.startswith("weir_tokens_total{") and 'kind="completion"' in line and MODEL in line:
            return int(float(line.rsplit(" ", 1)[1]))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=9000)
    parser.add_argument("--tokens", type=int, default=12)
    parser.add_argument("--step", type=float, default=4.0)
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard < 2 * options.streams + 100:
        sys.exit(
            f"streams: {options.streams} streams need {2 * options.streams + 100} descriptors, "
            f"the limit is {hard} (ulimit -Hn)"
        )
    folder = tempfile.mkdtemp(prefix="weir-bench-")
    with open(f"{folder}/weir.yaml", "w", encoding="ascii") as out:
        out.write(CONFIG.format(port=PORT, admin=ADMIN, engine=ENGINE, model=MODEL, dir=folder))
    quiet = subprocess.DEVNULL
    engine = subprocess.Popen(
        [
            WEIR,
            "sim",
            "--listen",
            f"127.0.0.1:{ENGINE}",
            "--log",
            f"{folder}/tokens.jsonl",
            "--step",
            f"{int(options.step * 1000)}ms",
            "--step-per-sequence",
            "0us",
            "--max-num-seqs",
            "20000",
            "--kv-blocks",
            "400000",
            "--max-num-batched-tokens",
            "10000000",
            "--prefill-speed",
            "0",
        ],
        stdin=quiet,
        stdout=quiet,
    )
    weir = subprocess.Popen([WEIR, "serve", "-c", f"{folder}/weir.yaml"], stdin=quiet, stderr=quiet)
    try:
        wait_for(f"http://127.0.0.1:{ENGINE}/health")
        wait_for(f"http://127.0.0.1:{ADMIN}/readyz")
        streams, open_at_once, per_stream = run(options, weir.pid)
        received = sum(one.contents for one in streams)
        time.sleep(0.5)
        print(f"streams_open_at_once: {open_at_once}")
        print(f"streams_failed: {sum(1 for one in streams if one.failed or not one.done)}")
        print(f"tokens_received: {received}")
        print(f"tokens_engine_counted: {engine_tokens(f'{folder}/tokens.jsonl')}")
        print(f"tokens_settled: {settled_tokens()}")
        print(f"bytes_per_stream: {per_stream:.0f}")
    finally:
        for process in (weir, engine):
            process.send_signal(signal.SIGTERM)
        for process in (weir, engine):
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
