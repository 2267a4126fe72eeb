"""Starts the weir program with a configuration, reads its log, asks its admin plane, stops it. What
a test says to it goes through raw.py; what stands behind it is upstream.py.
"""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time

import jwt

import raw

BIN = os.environ.get("WEIR_BIN", "")
NODE_MODULES = os.environ.get("WEIR_NODE_MODULES", "")
SECRET = "a secret of thirty-two bytes or more, for tests"
ADMIN_TOKEN = "the admin token of the tests"


def merge(into, changes):
    """`into` with `changes` laid over it, section by section; None takes an option away."""
    out = dict(into)
    for name, value in changes.items():
        if value is None:
            out.pop(name, None)
        elif isinstance(value, dict) and isinstance(out.get(name), dict):
            out[name] = merge(out[name], value)
        else:
            out[name] = value
    return out


def settings(*upstreams, **changes):
    """A configuration with providers up1, up2, ... and the models small and large on up1. YAML takes
    JSON, so a dictionary is enough."""
    base = {
        "server": {"listen": "127.0.0.1:0", "drain_timeout": "5s"},
        "admin": {"listen": "127.0.0.1:0", "token": ADMIN_TOKEN},
        "data_dir": "data",
        "identity": {"jwt": {"algorithms": ["HS256"], "secret": SECRET}},
        "tiers": {"FREE": {}, "PRO": {}},
        "providers": {f"up{i}": {"url": one if isinstance(one, str) else one.url}
                      for i, one in enumerate(upstreams, 1)},
        "models": {"small": {"targets": ["up1"]}, "large": {"targets": ["up1"]}},
    }
    return merge(base, changes)


def token(user="alice", tier=None, **claims):
    body = {"sub": user, "exp": int(time.time()) + 600} | claims
    if tier:
        body["tier"] = tier
    return jwt.encode(body, SECRET, algorithm="HS256")


def chat_body(**fields):
    return {"model": "small", "messages": [{"role": "user", "content": "hello"}]} | fields


def eventually(what, seconds=15, every=0.02):
    """The first true value of what(); fails when there is none in time."""
    until = time.monotonic() + seconds
    while True:
        value = what()
        if value:
            return value
        assert time.monotonic() < until, f"did not become true within {seconds} s; last: {value!r}"
        time.sleep(every)


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def run_weir(*arguments, folder=None, env=None):
    """Runs a command of weir to its end."""
    return subprocess.run([BIN, *map(str, arguments)], cwd=folder, env=os.environ | (env or {}),
                          capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


class Weir:
    """One running `weir serve`."""

    def __init__(self, folder, config, threads=2, env=None, prefix=()):
        self.folder = pathlib.Path(folder)
        self.config_path = self.folder / "weir.yaml"
        self.write_config(config)
        self.lines = []  # log records, as dictionaries
        self.text = ""   # everything it wrote
        self.ended = False  # it writes no more
        self.changed = threading.Condition()
        self.process = subprocess.Popen(
            [*prefix, BIN, "serve", "-c", str(self.config_path), "--threads", str(threads)],
            cwd=folder, env=os.environ | (env or {}), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=self.read_log, daemon=True)
        self.reader.start()
        started = self.wait_log(lambda r: r.get("message", "").startswith("weir serves"))
        self.port = int(started["listen"].rsplit(":", 1)[1])
        self.admin_port = int(started["admin"].rsplit(":", 1)[1])
        eventually(lambda: self.admin("GET", "/readyz").status == 200)

    def write_config(self, config):
        text = config if isinstance(config, str) else json.dumps(config, indent=1)
        new = self.folder / "weir.yaml.new"
        new.write_text(text)
        new.replace(self.config_path)

    # --- its log

    def read_log(self):
        for line in self.process.stdout:
            text = line.decode()
            with self.changed:
                self.text += text
                if text.startswith("{"):
                    self.lines.append(json.loads(text))
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait_log(self, wanted, seconds=20, after=0):
        """The first record that is wanted."""
        def find():
            return next((r for r in self.lines[after:] if wanted(r)), None)
        with self.changed:
            found = self.changed.wait_for(
                lambda: find() or self.ended,
                seconds)
            record = find()
        assert record, f"no such log record ({found}); weir wrote:\n{self.text[-3000:]}"
        return record

    @property
    def calls(self):
        """The records of finished calls."""
        return [r for r in self.lines if r.get("message") == "call"]

    def wait_calls(self, count=1, seconds=20):
        with self.changed:
            self.changed.wait_for(lambda: len(self.calls) >= count, seconds)
        assert len(self.calls) >= count, f"{len(self.calls)} calls in the log:\n{self.text[-3000:]}"
        return self.calls[:count]

    def last_call(self, count=1):
        return self.wait_calls(count)[-1]

    # --- calls

    def send(self, method, path, body=None, headers=None, user="alice", tier=None, **more):
        fields = {"Authorization": f"Bearer {token(user, tier)}"} if user else {}
        data = raw.request_bytes(method, path, body, fields | (headers or {}), **more)
        return raw.exchange(self.port, data, method)

    def get(self, path, **more):
        return self.send("GET", path, **more)

    def post(self, path, body, **more):
        return self.send("POST", path, body, **more)

    def chat(self, user="alice", tier=None, headers=None, **fields):
        return self.post("/v1/chat/completions", chat_body(**fields), user=user, tier=tier,
                         headers=headers)

    def begin_chat(self, user="alice", receive_buffer=None, **fields):
        """Sends a call and leaves its connection open."""
        line = raw.Connection(self.port, receive_buffer=receive_buffer)
        return line.send(raw.request_bytes("POST", "/v1/chat/completions", chat_body(**fields),
                                           {"Authorization": f"Bearer {token(user)}"}))

    # --- its admin plane

    def admin(self, method, path, key=ADMIN_TOKEN):
        fields = {"Authorization": f"Bearer {key}"} if key else {}
        return raw.exchange(self.admin_port, raw.request_bytes(method, path, None, fields), method)

    def status(self):
        return self.admin("GET", "/internal/status").json

    def metrics(self):
        return self.admin("GET", "/metrics").body.decode()

    def metric(self, name, **labels):
        """The sum of the series of a name whose labels include these."""
        total = 0.0
        for line in self.metrics().splitlines():
            m = re.fullmatch(r"([a-zA-Z_:]+)(?:\{(.*)\})? (\S+)", line)
            if m and m[1] == name and all(f'{k}="{v}"' in (m[2] or "") for k, v in labels.items()):
                total += float(m[3])
        return total

    def nothing_held(self):
        limits = self.status()["limits"]
        return not (limits["open_claims"] or limits["held_concurrent"] or limits["reserved_tokens"])

    def resident(self):
        """Resident memory in MiB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) / 1024

    # --- its life

    def signal(self, number):
        self.process.send_signal(number)

    def reload(self, config=None):
        """Sends SIGHUP and waits until the file was tried; whether it was taken."""
        if config is not None:
            self.write_config(config)
        before = self.status()["config"]
        self.signal(signal.SIGHUP)
        now = eventually(lambda: (c := self.status()["config"]) != before and
                         c["reloads"] + c["failed_reloads"] > before["reloads"] +
                         before["failed_reloads"] and c)
        return now["last_reload_succeeded"]

    def stop(self, seconds=20):
        """Ends it as an operator would; its exit status."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = "killed: it did not stop"
        self.reader.join(5)
        return code
