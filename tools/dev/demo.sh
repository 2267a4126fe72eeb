#!/usr/bin/env bash
# The demonstration behind ./dev demo: a simulated engine, weir before it, and the real openai
# client. With --check it ends with exit status 0 if all went as it should; without, it goes on
# running until Ctrl-C. Not a test suite: test/e2e is.
set -euo pipefail
cd "$(dirname "$0")/../.."

check=no
case "${1:-}" in
  --check) check=yes ;;
  '') ;;
  *) echo "demo: the only option is --check, not $1" >&2; exit 2 ;;
esac

weir=build/release/weir
place=build/demo
model=llama3.1:8b
pids=()

say() { printf '\n==> %s\n' "$*"; }
fail() {
  printf 'demo: %s\n' "$*" >&2
  tail -n 5 -- "$place"/*.log >&2 || true
  exit 1
}

# Asks all to stop and waits; what does not stop in time is killed, and that is a failure.
stop_all() {
  local pid status=0
  [[ ${#pids[@]} == 0 ]] && return
  kill -TERM "${pids[@]}" 2>/dev/null || true
  for pid in "${pids[@]}"; do
    timeout 40 tail --pid="$pid" -f /dev/null || { status=1 && kill -KILL "$pid" 2>/dev/null; }
    wait "$pid" 2>/dev/null || status=1
  done
  pids=()
  return $status
}
trap stop_all EXIT
trap 'exit 130' INT TERM

free_ports() {
  node -e '
    const servers = Array.from({length: 3}, () => require("net").createServer());
    Promise.all(servers.map((s) => new Promise((done) => s.listen(0, "127.0.0.1", done))))
      .then(() => { console.log(servers.map((s) => s.address().port).join(" "));
                    servers.forEach((s) => s.close()); });'
}

# wait_for NAME URL PID
wait_for() {
  local _
  for _ in {1..100}; do
    curl -fsS -o /dev/null --max-time 2 "$2" 2>/dev/null && return
    kill -0 "$3" 2>/dev/null || fail "$1 ended before it listened"
    sleep 0.1
  done
  fail "$1 does not answer at $2"
}

read -r port admin_port engine_port < <(free_ports)
base=http://127.0.0.1:$port
admin=http://127.0.0.1:$admin_port
engine=http://127.0.0.1:$engine_port
rm -rf "$place"
mkdir -p "$place"
secret=$(openssl rand -hex 32)

cat >"$place/weir.yaml" <<YAML
server: { listen: "127.0.0.1:$port" }
admin: { listen: "127.0.0.1:$admin_port" }
data_dir: $place/data
identity:
  jwt: { algorithms: [HS256], secret: "$secret", user: sub, tier: tier }
  anonymous: { tier: FREE }
tiers:
  FREE: { limits: [10 requests/min] }
  ENTERPRISE: { limits: [300 requests/min] }
routes:
  /v1/: { api: openai }
providers:
  engine: { url: "$engine", engine: vllm }
models:
  $model: { limits: [100000 requests/min], targets: [engine] }
  "*": { limits: [50 requests/min], targets: [engine] }
YAML

say "starting the simulated engine at $engine"
$weir sim --listen "127.0.0.1:$engine_port" --seed 1 >"$place/sim.log" 2>&1 &
pids+=($!)
wait_for "weir sim" "$engine/health" $!

say "starting weir at $base, its admin plane at $admin"
$weir serve -c "$place/weir.yaml" >"$place/serve.log" 2>&1 &
pids+=($!)
wait_for "weir serve" "$admin/readyz" $!

say "the openai client from npm, told weir's URL and a token of tier FREE"
OPENAI_BASE_URL=$base/v1 WEIR_MODEL=$model WEIR_JWT_SECRET=$secret \
  WEIR_NODE_MODULES=$PWD/build/node/node_modules node tools/dev/demo_client.mjs ||
  fail "the client saw something else than it should"

say "50 users at 5 requests a second each, nearly all over the FREE limit"
$weir stress "$base" --users 50 --rate 5 --duration 15s --model "$model" --secret "$secret" ||
  fail "weir stress says no"

say "what weir counted"
curl -fsS "$admin/metrics" | grep -E '^weir_requests_total' | head -10 ||
  fail "no weir_requests_total in $admin/metrics"

if [[ $check == yes ]]; then
  stop_all || fail "the engine or weir did not stop in order"
  say "demo: all as it should be"
  exit 0
fi

cat <<TEXT

It goes on running; Ctrl-C stops it. Three things to try in another terminal:

  1. A streamed answer:
     curl -N $base/v1/chat/completions -H 'content-type: application/json' \\
       -d '{"model":"$model","stream":true,"messages":[{"role":"user","content":"Hello"}]}'
  2. The limit, by calling too often (FREE is 10 a minute):
     for i in \$(seq 15); do curl -s -o /dev/null -w '%{http_code} wait %header{retry-after}\\n' \\
       $base/v1/chat/completions -H 'content-type: application/json' \\
       -d '{"model":"$model","messages":[{"role":"user","content":"Hello"}]}'; done
  3. What it measures, and why each call was decided as it was:
     curl -s $admin/metrics | grep ^weir_ ; tail -3 $PWD/$place/serve.log
TEXT
wait "${pids[@]}"
