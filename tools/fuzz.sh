#!/usr/bin/env bash
# fuzz.sh TIME runs every fuzz target of the module for TIME, such as 60s, or with as many inputs, such as 10000x, one
# after another.
# An input that fails is kept under the package's testdata/fuzz: commit it with the fix, and every later `make test`
# runs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

time=${1:?how long, such as 60s, or how many inputs, such as 10000x}
targets=()
# Each package lists its targets first and its own name after them.
listed=$(go test -list='^Fuzz' ./...)
found=0
while read -r first second _; do
  case $first in
    Fuzz*) targets+=("$first") ;;
    ok)
      for target in ${targets[@]+"${targets[@]}"}; do
        found=$((found + 1))
        echo "== $target in $second, $time"
        go test -run='^$' -fuzz="^$target\$" -fuzztime="$time" -fuzzminimizetime=10x "$second" </dev/null
      done
      targets=()
      ;;
  esac
done <<<"$listed"

if ((found == 0)); then
  echo "found no fuzz targets" >&2
  exit 1
fi
echo "$found fuzz targets, $time each: no failure"
