#!/usr/bin/env bash
# build.sh WHAT TIME [-FLAG=VALUE…] PACKAGE… is `go build`. If there is something to
# compile it prints, on standard error, what it builds and how long that takes the first
# time, how far it is every ten seconds, and how long it took.
#
# Everything that make compiles has the same flags, so that nothing is compiled twice: no cgo,
# for executables that run in any container, and no -trimpath, which the Go programs of
# an editor do not have. Only the race detector needs packages of its own.
set -euo pipefail
export CGO_ENABLED=${CGO_ENABLED:-0}

what=${1:?the name of the build} first=${2:?how long the first time takes}
shift 2
packages=()
for argument in "$@"; do
  [[ $argument == -* ]] || packages+=("$argument")
done

# progress NOUN TOTAL counts the lines of go that name a module or a package, prints the
# others, and the count at the end.
progress() {
  local count=0 said=$SECONDS line counted='^(go: downloading .*|[^ #]+)$'
  while IFS= read -r line; do
    if [[ ! $line =~ $counted ]]; then
      printf '%s\n' "$line" >&2
      continue
    fi
    count=$((count + 1))
    if ((SECONDS - said >= 10)); then
      echo "building $what: $1 $count of $2, $SECONDS s" >&2
      said=$SECONDS
    fi
  done
  echo "$count"
}

go list -deps "${packages[@]}" 2>&1 >/dev/null | progress module "about $(grep -vc '/go.mod ' go.sum)" >/dev/null
stale='{{if .Stale}}{{if ne .StaleReason "not installed but available in build cache"}}{{.ImportPath}}{{end}}{{end}}'
total=$(go list -deps -f "$stale" "${packages[@]}" | grep -c . || true)
if ((total > 0)); then
  echo "building $what: $total packages to compile; from nothing it takes $first" >&2
fi
compiled=$(go build -v "$@" 2>&1 | progress package "$total")
if ((compiled > 0)); then
  echo "built $what: $compiled packages in $SECONDS s" >&2
fi
