#!/usr/bin/env bash
# verify-release.sh FOLDER VERSION verifies the files of a release as SECURITY.md describes, and checks the build
# settings and the bill of materials of each executable. The archives and their content follow from .goreleaser.yml.
# It runs in the checkout that built the release, and needs gpg, shasum and unzip. GPG_FINGERPRINT names the key.
set -euo pipefail
export LC_ALL=C

folder=$(cd "${1:?the folder of the release}" && pwd)
version=${2:?the version, for example 1.2.0}
: "${GPG_FINGERPRINT:?the fingerprint of the key that signed}"
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
size_limit=$((20 << 20)) # bytes of an executable

cd "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

for list in {terraform-provider-modelcatalogue,modelcatalogue-sandbox,modelcatalogue-sboms}_"${version}_SHA256SUMS"; do
  # An expired or revoked key has no GOODSIG. VALIDSIG also names the primary key of a subkey.
  if ! gpg --batch --status-fd=3 --verify "$list.sig" "$list" 3>"$work/status" 2>"$work/log" ||
    ! grep -q '^\[GNUPG:] GOODSIG ' "$work/status" || ! grep -q "^\[GNUPG:] VALIDSIG .*$GPG_FINGERPRINT" "$work/status"; then
    fail "$list lacks a good signature by $GPG_FINGERPRINT:" "$(cat "$work/log")"
  fi
  shasum --algorithm=256 --check --strict --quiet "$list" || fail "$list has other checksums than the files."
  { sed 's/^[0-9a-f]*  //' "$list" && printf '%s\n' "$list" "$list.sig"; } >>"$work/listed"
  echo "$list: signature and checksums are right"
done
diff <(sort "$work/listed") <(ls) || fail "The release should have the files on the left."

commit=$(git -C "$tools" rev-parse HEAD)
largest=0
for archive in *.zip; do
  [[ $archive =~ _([a-z]+)_([a-z0-9]+)\.zip$ ]]
  settings=(GOOS="${BASH_REMATCH[1]}" GOARCH="${BASH_REMATCH[2]}" CGO_ENABLED=0 -trimpath=true vcs.revision="$commit" vcs.modified=false)
  program=$(unzip -Z1 "$archive" '*modelcatalogue[-_]*')
  unzip -qo "$archive" "$program" -d "$work"
  size=$(wc -c <"$work/$program")
  ((size <= size_limit)) || fail "$archive: the executable has $size bytes, more than $size_limit"
  ((size <= largest)) || largest=$size
  grep -qF "$version" "$work/$program" || fail "$archive: the executable does not know its version"
  go version -m "$work/$program" >"$work/info"
  for setting in "${settings[@]}"; do
    grep -qxF $'\tbuild\t'"$setting" "$work/info" || fail "$archive: it should be built with $setting:" "$(cat "$work/info")"
  done

  bill=${archive%.zip}.cdx.json
  compact=$(tr -d ' \n' <"$bill")
  sum=$(shasum --algorithm=256 "$work/$program")
  [[ $compact == *"\"name\":\"cdx:gomod:binary:hash:SHA-256\",\"value\":\"${sum%% *}\""* ]] || fail "$bill is that of another executable"
  diff <(awk -F'\t' '$2 == "dep" { print $3 "@" $4 }' "$work/info" | sort) \
    <(grep -o '"type":"library","name":"[^"]*","version":"[^"]*"' <<<"$compact" | awk -F'"' '{ print $8 "@" $12 }' | sort) ||
    fail "$bill should list the modules on the left."
done
echo "$(grep -c '\.zip$' "$work/listed") archives are as they should be, the largest executable has $largest bytes"
