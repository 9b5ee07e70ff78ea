#!/usr/bin/env bash
# test-engines.sh TIMEOUT ENGINE… runs the acceptance tests on each engine and
# prints a table in Markdown. It fails if a test fails on any engine, or if an
# engine ran none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

timeout=${1:?how long the tests of an engine may take, for example 20m}
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

table='| engine | tests | result |
| --- | --- | --- |'
status=0
for engine in "$@"; do
  # "Terraform v1.11.4": the engine on the PATH can be one of the others.
  name=$(TF_CLI_CONFIG_FILE=/dev/null CHECKPOINT_DISABLE=1 "$engine" version | sed -n '1s/ v/ /p')
  if [[ $table == *"| $name |"* ]]; then
    continue
  fi
  echo "testing on $name" >&2
  result=pass
  TF_ACC_TERRAFORM_PATH=$engine tools/with-engine.sh \
    go test -v -count=1 -run='^TestAcc' -timeout="$timeout" ./internal/acctest >"$log" 2>&1 || result=FAIL
  count() { grep -cE "^ *--- $1: " "$log" || true; }
  if [[ $(count PASS) == 0 ]]; then
    result=FAIL
  fi
  if [[ $result == FAIL ]]; then
    status=1
    cat "$log" >&2
  fi
  tests="$(count PASS) passed"
  for outcome in FAIL:failed SKIP:skipped; do
    if [[ $(count "${outcome%:*}") != 0 ]]; then
      tests+=", $(count "${outcome%:*}") ${outcome#*:}"
    fi
  done
  table+=$'\n'"| $name | $tests | $result |"
done

printf '\n%s\n' "$table"
exit "$status"
