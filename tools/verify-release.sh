#!/usr/bin/env bash
# verify-release.sh FOLDER VERSION verifies the files of a release as SECURITY.md
# tells its user to do it, and holds its archives against what they must be. It
# runs in the checkout that built them. GPG_FINGERPRINT names the key that signed.
set -euo pipefail

folder=$(cd "${1:?the folder of the release}" && pwd)
version=${2:?the version, for example 1.2.0}
: "${GPG_FINGERPRINT:?the fingerprint of the key that signed}"
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

cd "$folder"
for list in *_SHA256SUMS; do
  status=$(gpg --batch --status-fd=1 --verify "$list.sig" "$list" 2>/dev/null || true)
  # The line also names the primary key of a subkey that signed.
  if ! grep -q "VALIDSIG .*$GPG_FINGERPRINT" <<<"$status"; then
    printf 'The signature of %s is not by %s:\n%s\n' "$list" "$GPG_FINGERPRINT" "$status" >&2
    exit 1
  fi
  "$tools/sums.sh" --check --strict --quiet "$list"
  echo "$list: signature and checksums are right"
done

cd "$tools/.."
exec go run ./internal/tools/archives -version="$version" -commit="$(git rev-parse HEAD)" "$folder"
