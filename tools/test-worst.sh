#!/usr/bin/env bash
# test-worst.sh runs all tests, without the race detector, under all conditions of contributors together: in a copy
# without git; with spaces, and words that tests look for, in the path of the copy, of the temporary folder and in the
# user's name; with SIGHUP ignored, as by nohup; without IPv6 and any other network, if this machine allows that;
# behind a proxy that is down; with the lines of a sandbox in the environment, and with variables that change the
# provider's behaviour or are unknown to it. It then repeats `make build` and the tests of the tools, which call git,
# in a clone owned by another user.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export CGO_ENABLED=0 TF_ACC_TERRAFORM_PATH
TF_ACC_TERRAFORM_PATH=$(tools/engine.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap '' HUP

copy="$work/home of jasmine/a real secret, or an error" temporary="$work/mine, too"
GIT_INDEX_FILE=$work/index git add --all
GIT_INDEX_FILE=$work/index git checkout-index --all --prefix="$copy/"
mkdir "$temporary"
go build -v -o="$work/" ./cmd/modelcatalogue-sandbox
go list -deps -test ./... >/dev/null # downloads what is missing

# shellcheck disable=SC2016 # the inner shell's arguments
alone=(unshare --map-root-user --net sh -c 'sysctl -qw net.ipv6.conf.all.disable_ipv6=1 && ip link set lo up && exec "$@"' -)
if ! reason=$("${alone[@]}" true 2>&1); then
  echo "with the network of this machine, as it allows no other: $reason"
  alone=(env)
fi

# exec sets the lines of the sandbox, and exempts it from proxies. The tests have to pass without that exemption.
cd "$copy"
TMPDIR="$temporary" "${alone[@]}" "$work/modelcatalogue-sandbox" exec -- env -u NO_PROXY -u no_proxy \
  -u MODELCATALOGUE_TEST_MODEL_GROUP_ID USER=realm LOGNAME=realm \
  http_proxy=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9 \
  MODELCATALOGUE_SNAPSHOT=false MODELCATALOGUE_MAX_REQUESTS=1/1h MODELCATALOGUE_URL=unread \
  MODELCATALOGUE_SANDBOX_RATE_LIMIT=1/1h make --no-print-directory test RACE=

# The variable, which is for git's tests, makes git treat the copy as the clone of another owner, and refuse it; chown
# would require root. By default go asks git for the commit to stamp a build with, and fails.
git init --quiet
export GIT_TEST_ASSUME_DIFFERENT_OWNER=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
if git status >/dev/null 2>&1; then
  echo "git accepts the clone of another owner" >&2
  exit 1
fi
GOFLAGS=-buildvcs=auto make --no-print-directory build
TMPDIR="$temporary" go test -count=1 ./internal/tools
