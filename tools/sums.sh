#!/usr/bin/env bash
# sums.sh ARGUMENT… is sha256sum, also where a system has shasum in its place.
set -euo pipefail

if command -v sha256sum >/dev/null; then
  exec sha256sum "$@"
fi
exec shasum -a 256 "$@"
