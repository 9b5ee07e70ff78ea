#!/usr/bin/env bash
# test.sh [FLAG…] runs all tests with these flags of `go test`: first those that need no
# engine, with the flag RACE, then the acceptance tests, whose engine and provider are
# programs of their own. A package prints a line when it has passed, and so does an
# acceptance test. Without TF_ACC an engine is never started.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
trap 'exit 130' INT # go test itself ends as if a test had failed
export CGO_ENABLED=${CGO_ENABLED:-0}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# go test prints packages in the order of its arguments.
packages=()
while IFS= read -r package; do
  packages+=("$package")
done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | grep -vE '/(acctest|catalogue|provider)$')
packages+=(./internal/catalogue ./internal/provider) # the slow ones
acceptance=./internal/acctest

cgo=$CGO_ENABLED
if [[ -n ${RACE:-} ]]; then
  # Many systems have a race detector only with cgo.
  cgo=$(env -u CGO_ENABLED go env CGO_ENABLED)
  if [[ $cgo == 0 && $(go env GOOS) != darwin && -z ${CI:-} ]]; then
    echo "no C compiler is on the PATH, so the tests run without the race detector" >&2
    RACE=
  fi
fi

# imported PACKAGE… prints the packages of other modules that the tests of packages use.
imported() {
  go list -deps -test -f '{{with .Module}}{{if not .Main}}{{$.ImportPath}}{{end}}{{end}}' "$@"
}

status=0
# shellcheck disable=SC2046 # no path of a package has a space
CGO_ENABLED=$cgo GOFLAGS="${GOFLAGS:-} ${RACE:-}" tools/build.sh "the tested packages${RACE:+, with the race detector}" \
  "two to four minutes" ./... $(imported "${packages[@]}")
# shellcheck disable=SC2086
CGO_ENABLED=$cgo go test ${RACE:-} "$@" "${packages[@]}" || status=1

# shellcheck disable=SC2046
tools/build.sh "the programs that acceptance tests run" "one to three minutes" . ./cmd/modelcatalogue-sandbox $(imported "$acceptance")
if [[ -z ${TF_ACC:-} ]]; then
  go test "$@" "$acceptance" || status=1
elif ! go test -v "$@" "$acceptance" 2>&1 | tee "$log" | grep -E '^(engine:|--- |ok |FAIL)'; then
  grep -v '^=== ' "$log" >&2
  status=1
fi
exit "$status"
