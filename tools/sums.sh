#!/usr/bin/env bash
# sums.sh ARGUMENT… is sha256sum, or shasum on a system without sha256sum.
set -euo pipefail

if command -v sha256sum >/dev/null; then
  exec sha256sum "$@"
fi
exec shasum -a 256 "$@"
