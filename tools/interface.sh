#!/usr/bin/env bash
# interface.sh checks the interface (internal/contract/openapi.json) with tools of
# others: prism stands between the provider and the sandbox and refuses what departs
# from it, and clients in TypeScript and in Go, generated from it, read the sandbox.
# The tools come from npm and Go modules, as tools/interface pins them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$PWD/.cache/interface
mkdir -p "$work/client"
cp tools/interface/*.* "$work/"
cp tools/interface/client/* "$work/client/"
started=()
trap 'kill "${started[@]}" 2>/dev/null || true' EXIT

echo "tools from npm and Go modules" >&2
(cd "$work" && npm ci --no-audit --no-fund --loglevel=error)
PATH=$work/node_modules/node/bin:$work/node_modules/.bin:$PATH
tools/build.sh "the sandbox" "one to three minutes" -o="$work/" ./cmd/modelcatalogue-sandbox
sandbox=$work/modelcatalogue-sandbox
"$sandbox" openapi >"$work/openapi.json"

# serve NAME [FLAGS] starts a sandbox, with prism before it, and sets url.
serve() {
  local name=$1
  shift
  rm -f "$work/$name.json"
  "$sandbox" -listen=127.0.0.1:0 -ready-file="$work/$name.json" "$@" >/dev/null &
  started+=($!)
  until [[ -e $work/$name.json ]]; do sleep 0.1; done
  direct=$(sed 's/.*"url":"\([^"]*\)".*/\1/' "$work/$name.json")
  local port
  port=$(node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close() })')
  url=http://127.0.0.1:$port
  prism proxy "$work/openapi.json" "$direct" --errors --port "$port" >"$work/$name.log" 2>&1 &
  started+=($!)
  until grep -q 'Prism is listening' "$work/$name.log"; do sleep 0.1; done
}

# read_groups prints the status of a read of every group.
read_groups() {
  local token
  token=$(curl -fsS "$url/v1/auth/token" -d grant_type=client_credentials -d client_id=northwind \
    -d client_secret=northwind-sandbox-secret | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
  curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "$url/v1/model-group"
}

# prism finds a document that departs from the interface.
sed '1s/{/{"recorded": "Documents may be anything.",/; s/"public": true/"public": "yes"/' \
  internal/sandbox/catalogue.json >"$work/broken-catalogue.json"
serve broken -catalogue="$work/broken-catalogue.json"
if [[ $(read_groups) == 200 ]] || ! grep -q VIOLATIONS "$work/broken.log"; then
  echo "prism lets a document pass that departs from the interface" >&2
  exit 1
fi

serve sandbox
MODELCATALOGUE_BASE_URL=$url MODELCATALOGUE_CLIENT_ID=northwind MODELCATALOGUE_CLIENT_SECRET=northwind-sandbox-secret \
  MODELCATALOGUE_TEST_MODEL_GROUP_ID=7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01 \
  go test -count=1 -run='^TestAccReadsAny' -v ./internal/acctest | grep -E '^(---|ok|FAIL|\s+\S+_test.go)'
for route in /v1/auth/token /v1/model-group /latest-model /models; do
  grep -q "$route" "$work/sandbox.log" || { echo "the provider did not ask for $route" >&2; exit 1; }
done
if grep -iE 'violation|error' "$work/sandbox.log"; then
  exit 1
fi
echo "prism $(prism --version): the provider and the sandbox speak the interface"

openapi-typescript "$work/openapi.json" -o "$work/client.d.ts" >/dev/null
(cd "$work" && tsc -p . && URL=$direct node read.ts)
(cd "$work/client" && GOFLAGS=-mod=mod go tool oapi-codegen -generate types,client -package client ../openapi.json >client.go &&
  URL=$direct go test -count=1 -v . | grep -E 'reads|^ok|FAIL|Error')
