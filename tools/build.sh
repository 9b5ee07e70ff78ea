#!/usr/bin/env bash
# build.sh WHAT TIME COMMAND… runs `go build -v` or the like. If there is something
# to compile or to download, it prints on standard error what it builds and how long
# that takes the first time, its progress every ten seconds, and how long it took.
set -euo pipefail

what=${1:?what is built} first=${2:?how long the first time takes}
shift 2

log=$(mktemp)
"$@" >"$log" 2>&1 &
build=$!
# A command in the background gets no Ctrl-C.
trap 'kill "$build" 2>/dev/null || true; rm -f "$log"' EXIT

# go names each package as it is compiled, and says what it downloads.
count() { grep -Ec "$1" "$log" || true; }
package='^[^# ]+$'
module='^go: downloading '

said=
while kill -0 "$build" 2>/dev/null; do
  sleep 0.2
  if [[ -z $said && -s $log ]]; then
    echo "building $what from Go modules; the first time it takes $first" >&2
    said=$SECONDS
  elif [[ -n $said ]] && ((SECONDS - said >= 10)); then
    echo "building $what: $(count "$module") modules downloaded, $(count "$package") packages compiled, $SECONDS s" >&2
    said=$SECONDS
  fi
done

status=0
wait "$build" || status=$?
grep -Ev "$package|$module" "$log" >&2 || true
if [[ $status == 0 && -n $said ]]; then
  echo "built $what in $SECONDS s" >&2
fi
exit "$status"
