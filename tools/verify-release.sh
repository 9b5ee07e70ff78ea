#!/usr/bin/env bash
# verify-release.sh FOLDER VERSION verifies the files of a release as SECURITY.md
# tells its users to, and checks the content of each archive, how its executable was
# built, and that its bill of materials is that of the executable. It runs in the
# checkout that built them, and needs gpg and unzip.
# GPG_FINGERPRINT names the key that signed.
set -euo pipefail
export LC_ALL=C

folder=$(cd "${1:?the folder of the release}" && pwd)
version=${2:?the version, for example 1.2.0}
: "${GPG_FINGERPRINT:?the fingerprint of the key that signed}"
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
size_limit=$((20 << 20)) # bytes of an executable

cd "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

provider=terraform-provider-modelcatalogue
sandbox=modelcatalogue-sandbox
sboms=modelcatalogue-sboms

# platforms PROGRAM prints those that it is built for.
platforms() {
  case $1 in
    "$provider") go tool dist list | grep -E '^(linux|darwin|windows|freebsd)/(amd64|arm64|386|arm)$' ;;
    "$sandbox") printf '%s\n' {linux,darwin,windows}/{amd64,arm64} ;;
  esac
}

# archives PROGRAM prints their names, without .zip.
archives() {
  for platform in $(platforms "$1"); do
    echo "${1}_${version}_${platform/\//_}"
  done
}

# files LIST prints the files that a list of checksums must name. A registry reads that
# of the provider, so it has only the provider's archives.
files() {
  case $1 in
    "$provider") archives "$1" | sed 's/$/.zip/' && echo "${1}_${version}_manifest.json" ;;
    "$sandbox") archives "$1" | sed 's/$/.zip/' && echo "${1}_${version}_openapi.json" ;;
    "$sboms") { archives "$provider" && archives "$sandbox"; } | sed 's/$/.cdx.json/' ;;
  esac
}

for program in "$provider" "$sandbox" "$sboms"; do
  list=${program}_${version}_SHA256SUMS
  # GOODSIG is missing if the key has expired or is revoked. VALIDSIG names the
  # primary key of a subkey, too.
  if ! gpg --batch --status-fd=3 --verify "$list.sig" "$list" 3>"$work/status" 2>"$work/log" ||
    ! grep -q '^\[GNUPG:] GOODSIG ' "$work/status" || ! grep -q "^\[GNUPG:] VALIDSIG .*$GPG_FINGERPRINT" "$work/status"; then
    fail "$list lacks a good signature by $GPG_FINGERPRINT:" "$(cat "$work/log")"
  fi
  diff <(files "$program" | sort) <(sed 's/^[0-9a-f]*  //' "$list" | sort) || fail "$list should have the files on the left."
  "$tools/sums.sh" --check --strict --quiet "$list"
  echo "$list: signature and checksums are right"
  { files "$program"; printf '%s\n' "$list" "$list.sig"; } >>"$work/wanted"
done
diff <(sort "$work/wanted") <(ls) || fail "The release should have the files on the left."

commit=$(git -C "$tools" rev-parse HEAD)
for program in "$provider" "$sandbox"; do
  largest=0
  for platform in $(platforms "$program"); do
    archive=${program}_${version}_${platform/\//_}.zip
    name=$program
    [[ $program == "$sandbox" ]] || name+=_v$version # as the registries want it
    [[ $platform != windows/* ]] || name+=.exe
    held=$(printf '%s\n' LICENSE "$name")
    [[ $program != "$sandbox" ]] || held+=$'\nmodelcatalogue.tfmock.hcl'
    diff <(sort <<<"$held") <(unzip -Z1 "$archive" | sort) || fail "$archive should hold the files on the left."
    unzip -Z "$archive" "$name" | grep -q '^-rwxr-xr-x' || fail "$archive: the executable's mode is not 0755"

    unzip -qo "$archive" "$name" -d "$work"
    size=$(wc -c <"$work/$name")
    ((size <= size_limit)) || fail "$archive: the executable has $size bytes, more than $size_limit"
    ((size <= largest)) || largest=$size
    grep -qF "$version" "$work/$name" || fail "$archive: the executable does not know its version"
    ! grep -qF "${tools%/*}" "$work/$name" || fail "$archive: the executable has a path of the machine that built it"
    go version -m "$work/$name" >"$work/info"
    for setting in GOOS="${platform%/*}" GOARCH="${platform#*/}" CGO_ENABLED=0 -trimpath=true \
      vcs.revision="$commit" vcs.modified=false; do
      grep -qxF $'\tbuild\t'"$setting" "$work/info" || fail "$archive: it should be built with $setting:" "$(cat "$work/info")"
    done
    # Scanners take the names and checksums of all modules from the executable.
    if ! grep -q $'^\tdep\t' "$work/info" || grep $'^\tdep\t' "$work/info" | grep -vq $'\th1:'; then
      fail "$archive: the executable lacks its modules' checksums:" "$(cat "$work/info")"
    fi

    bill=${archive%.zip}.cdx.json
    compact=$(tr -d ' \n' <"$bill")
    sum=$("$tools/sums.sh" "$work/$name")
    for part in '"bomFormat":"CycloneDX"' "\"name\":\"cdx:gomod:binary:hash:SHA-256\",\"value\":\"${sum%% *}\""; do
      [[ $compact == *"$part"* ]] || fail "$bill lacks $part"
    done
    [[ $compact != *'"timestamp"'* && $compact != *'"serialNumber"'* ]] || fail "$bill has a time or a number of its own"
    diff <(awk -F'\t' '$2 == "dep" { print $3 "@" $4 }' "$work/info" | sort) \
      <(grep -o '"type":"library","name":"[^"]*","version":"[^"]*"' <<<"$compact" | awk -F'"' '{ print $8 "@" $12 }' | sort) ||
      fail "$bill should list the modules on the left."
  done
  echo "$program: $(platforms "$program" | wc -w | tr -d ' ') archives are as they should be, the largest executable has $largest bytes"
done
