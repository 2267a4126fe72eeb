#!/usr/bin/env python3
"""The price of the data path: weir beside nginx and haproxy, bare proxies, taking turns in one run.

CPU per request and per relayed event from the kernel's accounting of each process; completions and
tokens held against the engine's own counts. Ratios are medians of paired rounds.
Options: --rounds N, --seconds S.
"""

import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

WEIR = os.environ.get("WEIR_BIN", "build/release/weir")
SECRET = "bench-secret-of-at-least-thirty-two-bytes"
MODEL = "llama3.1:8b"
ENGINE, WEIR_PORT, ADMIN, NGINX, HAPROXY = 18000, 18080, 18081, 18090, 18091
STREAM_TOKENS = 200
TICKS = os.sysconf("SC_CLK_TCK")

NGINX_CONF = """
worker_processes 1; daemon off; master_process off; error_log stderr crit; pid {dir}/nginx.pid;
events {{ worker_connections 4096; }}
http {{
  access_log off; client_body_temp_path {dir}/body; proxy_temp_path {dir}/proxy;
  fastcgi_temp_path {dir}/f; uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
  upstream engine {{ server 127.0.0.1:{engine}; keepalive 512; keepalive_requests 100000000; }}
  server {{
    listen 127.0.0.1:{port}; keepalive_requests 100000000; client_max_body_size 20m;
    location / {{
      proxy_pass http://engine; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_request_buffering off;
    }}
  }}
}}
"""

HAPROXY_CONF = """
global
  nbthread 1
  maxconn 8192
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend in
  bind 127.0.0.1:{port}
  default_backend engine
backend engine
  server engine 127.0.0.1:{engine}
"""

WEIR_CONF = """
server: {{ listen: "127.0.0.1:{port}", threads: 1 }}
admin: {{ listen: "127.0.0.1:{admin}" }}
data_dir: {dir}/weir-data
identity:
  jwt: {{ algorithms: [HS256], secret: "{secret}" }}
tiers:
  FREE: {{ limits: [10 requests/min] }}
  PRO:
    limits:
      - 600000000 requests/min
      - 600000000 requests/h sliding_window
      - 600000000000 tokens/min
      - 100000 concurrent
providers:
  engine: {{ url: "http://127.0.0.1:{engine}", engine: vllm }}
models:
  {model}: {{ targets: [engine], limits: [600000000 requests/min, 6000000000 requests/day] }}
"""


def start(command, **options):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def fetch(url, method="GET"):
    request = urllib.request.Request(url, method=method)
    with urllib.request.urlopen(request, timeout=5) as answer:
        return answer.read().decode()


def wait_for(url):
    for _ in range(100):
        try:
            return fetch(url)
        except OSError:
            time.sleep(0.05)
    sys.exit(f"data-path: nothing answers at {url}")


def engine_counts():
    return json.loads(fetch(f"http://127.0.0.1:{ENGINE}/sim/stats"))


def weir_tokens():
    """Prompt and completion tokens that weir has settled."""
    total = 0
    for line in fetch(f"http://127.0.0.1:{ADMIN}/metrics").splitlines():
        if re.match(r'weir_tokens_total\{model="[^"]+",kind="(prompt|completion)"\}', line):
            total += int(float(line.rsplit(" ", 1)[1]))
    return total


def to_microseconds(text):
    value, unit = re.match(r"([0-9.]+)(us|ms|s)", text).groups()
    return float(value) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]


class Load:
    """wrk with the one request of its kind."""

    def __init__(self, folder, name, token, stream):
        body = {
            "model": MODEL,
            "max_tokens": STREAM_TOKENS if stream else 16,
            "messages": [{"role": "user", "content": "x" * 900}],
        }
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        self.script = f"{folder}/{name}.lua"
        with open(self.script, "w", encoding="ascii") as lua:
            lua.write(
                'wrk.method="POST"\nwrk.headers["Content-Type"]="application/json"\n'
                f'wrk.headers["Authorization"]="Bearer {token}"\nwrk.body=[[{json.dumps(body)}]]\n'
            )

    def run(self, port, connections, seconds):
        out = subprocess.run(
            [
                "wrk",
                "-t1",
                f"-c{connections}",
                f"-d{seconds}s",
                "--latency",
                "-s",
                self.script,
                f"http://127.0.0.1:{port}/v1/chat/completions",
            ],
            capture_output=True,
            text=True,
            check=True,
            timeout=seconds + 30,
        ).stdout
        if "Non-2xx" in out or "Socket errors" in out:
            sys.exit(f"data-path: port {port} did not answer every call:\n{out}")
        return {
            "requests": int(re.search(r"(\d+) requests in", out).group(1)),
            "p50": to_microseconds(re.search(r"^ +50% +(\S+)", out, re.M).group(1)),
            "p99": to_microseconds(re.search(r"^ +99% +(\S+)", out, re.M).group(1)),
        }


def measure(load, target, connections, seconds):
    port, process = target
    before = cpu_seconds(process.pid)
    result = load.run(port, connections, seconds)
    result["cpu_us"] = (cpu_seconds(process.pid) - before) * 1e6 / result["requests"]
    return result


def paired(load, targets, rounds, connections, seconds):
    """One measurement of each target per round, the order turning."""
    names = list(targets)
    results = {name: [] for name in names}
    for turn in range(rounds):
        for step in range(len(names)):
            name = names[(turn + step) % len(names)]
            results[name].append(measure(load, targets[name], connections, seconds))
    return results


def ratio(results, name, base):
    return statistics.median(
        a["cpu_us"] / b["cpu_us"] for a, b in zip(results[name], results[base])
    )


def median(results, name, key):
    return statistics.median(one[key] for one in results[name])


def servers(folder):
    values = {"dir": folder, "engine": ENGINE, "secret": SECRET, "admin": ADMIN, "model": MODEL}
    for name, text, port in (
        ("nginx.conf", NGINX_CONF, NGINX),
        ("haproxy.cfg", HAPROXY_CONF, HAPROXY),
        ("weir.yaml", WEIR_CONF, WEIR_PORT),
    ):
        with open(f"{folder}/{name}", "w", encoding="ascii") as out:
            out.write(text.format(port=port, **values))
    with open(f"{folder}/weir.log", "wb") as log:
        weir = start([WEIR, "serve", "-c", f"{folder}/weir.yaml"], stderr=log)
    quiet = subprocess.DEVNULL
    return {
        "engine": start(
            [
                WEIR,
                "sim",
                "--listen",
                f"127.0.0.1:{ENGINE}",
                "--fast",
                "--fast-tokens",
                str(STREAM_TOKENS),
                "--keep-alive",
                "120s",
            ],
            stdout=quiet,
        ),
        "weir": weir,
        "nginx": start(
            [
                shutil.which("nginx") or "/usr/sbin/nginx",
                "-c",
                f"{folder}/nginx.conf",
                "-p",
                folder,
            ],
            stderr=quiet,
        ),
        "haproxy": start(
            [shutil.which("haproxy") or "/usr/sbin/haproxy", "-f", f"{folder}/haproxy.cfg"],
            stderr=quiet,
        ),
    }


def report_requests(load, targets, options):
    before, counted = engine_counts(), weir_tokens()
    results = paired(load, targets, options.rounds, 64, options.seconds)
    sent = sum(one["requests"] for runs in results.values() for one in runs)
    after = engine_counts()
    print(f"requests_answered: {sent}")
    # wrk drops the calls in flight when its time is over: the engine may have answered a few more.
    print(f"requests_engine_counted: {after['finished'] - before['finished']}")
    through_weir = sum(one["requests"] for one in results["weir"])
    per_call = (
        after["completion_tokens"]
        + after["prompt_tokens"]
        - before["completion_tokens"]
        - before["prompt_tokens"]
    ) / (after["finished"] - before["finished"])
    print(f"tokens_settled_per_call: {(weir_tokens() - counted) / through_weir:.4f}")
    print(f"tokens_engine_per_call: {per_call:.4f}")
    for name in targets:
        print(f"{name}_cpu_us_per_request: {median(results, name, 'cpu_us'):.2f}")
    print(f"cpu_ratio_to_nginx: {ratio(results, 'weir', 'nginx'):.3f}")
    print(f"cpu_ratio_to_haproxy: {ratio(results, 'weir', 'haproxy'):.3f}")


def report_events(load, targets, options):
    results = paired(load, targets, options.rounds, 32, options.seconds)
    events = STREAM_TOKENS + 3  # role, usage, [DONE]
    for name in targets:
        print(f"{name}_cpu_us_per_event: {median(results, name, 'cpu_us') / events:.3f}")
    print(f"sse_event_ratio_to_nginx: {ratio(results, 'weir', 'nginx'):.3f}")
    print(f"sse_event_ratio_to_haproxy: {ratio(results, 'weir', 'haproxy'):.3f}")


def report_latency(load, targets, options):
    direct = {"direct": (ENGINE, targets["engine"])}
    through = {name: targets[name] for name in ("weir", "nginx")}
    results = paired(load, direct | through, options.rounds, 1, options.seconds)
    for name in ("weir", "nginx"):
        for key in ("p50", "p99"):
            added = statistics.median(
                a[key] - b[key] for a, b in zip(results[name], results["direct"])
            )
            label = "" if name == "weir" else f"{name}_"
            print(f"{label}added_{key}_us: {added:.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="weir-bench-")
    running = servers(folder)
    try:
        wait_for(f"http://127.0.0.1:{ENGINE}/health")
        wait_for(f"http://127.0.0.1:{ADMIN}/readyz")
        token = subprocess.run(
            [WEIR, "token", "-c", f"{folder}/weir.yaml", "--user", "bench", "--tier", "PRO"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        proxies = {
            "weir": (WEIR_PORT, running["weir"]),
            "nginx": (NGINX, running["nginx"]),
            "haproxy": (HAPROXY, running["haproxy"]),
        }
        whole = Load(folder, "whole", token, stream=False)
        stream = Load(folder, "stream", token, stream=True)
        report_requests(whole, proxies, options)
        report_events(stream, proxies, options)
        report_latency(whole, proxies | {"engine": running["engine"]}, options)
    finally:
        for process in running.values():
            process.send_signal(signal.SIGTERM)
        for process in running.values():
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
