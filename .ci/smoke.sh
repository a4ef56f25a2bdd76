#!/usr/bin/env bash
# The real binary as a stranger starts it: make run, wait until it is ready, ask, check that the answer cites
# an article that the server holds, stop it with SIGTERM, and start it again.
set -euo pipefail
cd "$(dirname "$0")/.."

addr=${ADDR:-127.0.0.1:18080} data=${DATA:-var/smoke} log=var/smoke.log
url="http://$addr" maker='' server=''
mkdir -p var
rm -rf "$data"

cleanup() {
  local code=$?
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  [[ -z $maker ]] || kill "$maker" 2>/dev/null || true
  if ((code != 0)); then
    echo "smoke: failed; the server's log ends:"
    tail -n 40 "$log"
  fi
}
trap cleanup EXIT

# start LIMIT: make run in the background, until /readyz says 200, for at most LIMIT seconds.
start() {
  local limit=$1 begin=$SECONDS
  make run ADDR="$addr" DATA="$data" >"$log" 2>&1 </dev/null &
  maker=$!
  until curl -sf -o /dev/null --max-time 5 "$url/readyz"; do
    kill -0 "$maker" 2>/dev/null || { echo "smoke: make run ended before it was ready"; return 1; }
    ((SECONDS - begin < limit)) || { echo "smoke: not ready within $limit s"; return 1; }
    sleep 0.2
  done
  server=$(pgrep -P "$maker" -f 'lexagent serve')
  echo "smoke: ready after $((SECONDS - begin)) s"
}

# stop: SIGTERM to the server; it must end with 0, and make with it.
stop() {
  kill -TERM "$server"
  wait "$maker" || { echo "smoke: the server did not end with 0"; return 1; }
  maker='' server=''
}

# ask QUESTION PATTERN: an answer whose citations hold an id like PATTERN, each an article of the server's.
ask() {
  local body
  body=$(python3 -c 'import json,sys; print(json.dumps({"model":"lexagent","messages":[{"role":"user","content":sys.argv[1]}]}))' "$1")
  curl -sSf --max-time 120 -H 'Content-Type: application/json' -d "$body" "$url/v1/chat/completions" >var/smoke.json
  URL=$url PATTERN=$2 python3 - var/smoke.json <<'PY'
import json, os, re, sys, urllib.parse, urllib.request
reply = json.load(open(sys.argv[1], encoding="utf-8"))
message = reply["choices"][0]["message"]
cited = reply["citations"]
ids = [c["id"] for c in cited]
assert message["content"].strip(), "the answer is empty"
assert any(re.search(os.environ["PATTERN"], i) for i in ids), f"no citation like {os.environ['PATTERN']} among {ids}"
for c in cited:
    where = os.environ["URL"] + "/v1/articles/" + urllib.parse.quote(c["id"], safe="")
    with urllib.request.urlopen(where, timeout=30) as answer:
        assert json.load(answer)["id"] == c["id"], where
    assert c["text"].strip(), f"{c['id']} has no text"
print("smoke:", len(ids), "citations:", " ".join(ids[:5]))
PY
}

start 180
page=$(curl -sSf --max-time 10 "$url/")
[[ ${page,,} == *'<!doctype html'* ]] || { echo "smoke: no web page at /"; exit 1; }
ask '民法典第一千零七十七条规定了什么？' '^民法典@[0-9-]+:1077$'
ask '夫妻一方隐瞒重大疾病，婚姻可以撤销吗？' '^民法典@[0-9-]+:1053$'
stop
start 20
stop
echo "smoke: ok"
