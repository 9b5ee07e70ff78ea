#!/usr/bin/env bash
# tidily.sh COMMAND [ARGUMENT…] runs a command with a temporary folder of its own,
# which is removed when the last of its processes has ended, after Ctrl-C as well.
# It becomes that command, so signals reach it.
set -euo pipefail

trap '' INT TERM HUP # what removes the folder outlives them
TMPDIR=$(mktemp -d)
export TMPDIR
# Every process of the command has descriptor 9 open, and cat waits for the last of them.
exec 9> >(exec >/dev/null 2>&1 && cat && rm -rf "$TMPDIR")
trap - INT TERM HUP

exec "$@"
