#!/usr/bin/env bash
# release.sh [--snapshot] builds a release of the checked-out commit in dist/release: archives of the provider and of
# the sandbox, the interface as an OpenAPI document, a bill of materials (CycloneDX) for each archive, lists of
# checksums for the provider, the sandbox and the bills, and a signature of each list. It publishes nothing.
#
# GPG_FINGERPRINT names the key. GORELEASER and CYCLONEDX are programs, by default those of .cache/bin. With
# --snapshot the commit does not need a tag.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

: "${GPG_FINGERPRINT:?the fingerprint of the key that signs}"
goreleaser=${GORELEASER:-$PWD/.cache/bin/goreleaser}
cyclonedx=${CYCLONEDX:-$PWD/.cache/bin/cyclonedx-gomod}

"$goreleaser" release --clean "$@"

version=$(sed -n 's/.*"version":"\([^"]*\)".*/\1/p' dist/metadata.json)
provider=terraform-provider-modelcatalogue_$version
sandbox=modelcatalogue-sandbox_$version
mkdir dist/release
cp dist/*.zip dist/*_SHA256SUMS dist/*_SHA256SUMS.sig dist/release
cp terraform-registry-manifest.json "dist/release/${provider}_manifest.json"
cp internal/contract/openapi.json "dist/release/${sandbox}_openapi.json"

cd dist/release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for archive in *.zip; do
  rm -rf "${work:?}"/*
  unzip -q "$archive" '*modelcatalogue[-_]*' -d "$work"
  # Without a serial number and the time, so a second build of the commit gives the same bytes.
  "$cyclonedx" bin -json -noserial -notimestamp -version "v$version" -output "${archive%.zip}.cdx.json" "$work"/*
done

# sign NAME FILE… writes a list of checksums, and its signature.
sign() {
  local list=$1_SHA256SUMS
  shift
  shasum --algorithm=256 "$@" >"$list"
  gpg --batch --local-user "$GPG_FINGERPRINT" --output "$list.sig" --detach-sign "$list"
}
sign "$sandbox" "$sandbox"_*.zip "${sandbox}_openapi.json"
# A registry reads the provider's list, so bills have a separate one.
sign "modelcatalogue-sboms_$version" -- *.cdx.json
