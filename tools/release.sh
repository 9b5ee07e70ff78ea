#!/usr/bin/env bash
# release.sh [--snapshot] builds a release of the commit that is checked out and
# leaves its files in dist/release: archives of the provider and of the sandbox,
# a bill of materials for each, the interface as an OpenAPI document, the
# checksums of the three kinds of files, and a signature of each list of
# checksums. Nothing is published.
#
# GPG_FINGERPRINT names the key that signs; GORELEASER the goreleaser program,
# .cache/bin/goreleaser where it is not set. With --snapshot the commit needs no
# tag.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

: "${GPG_FINGERPRINT:?the fingerprint of the key that signs}"
goreleaser=${GORELEASER:-$PWD/.cache/bin/goreleaser}

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/sbom" ./internal/tools/sbom
PATH=$bin:$PATH "$goreleaser" release --clean "$@"

version=$(sed -n 's/.*"version":"\([^"]*\)".*/\1/p' dist/metadata.json)
provider=terraform-provider-modelcatalogue_$version
sandbox=modelcatalogue-sandbox_$version
mkdir dist/release
cp dist/*.zip dist/*.cdx.json dist/*_SHA256SUMS dist/*_SHA256SUMS.sig dist/release
cp terraform-registry-manifest.json "dist/release/${provider}_manifest.json"
cp internal/contract/openapi.json "dist/release/${sandbox}_openapi.json"

cd dist/release
../../tools/sums.sh "$sandbox"_*.zip "${sandbox}_openapi.json" >"${sandbox}_SHA256SUMS"
../../tools/sums.sh "$sandbox"_*.cdx.json "$provider"_*.cdx.json >"modelcatalogue-sboms_${version}_SHA256SUMS"
for list in "${sandbox}_SHA256SUMS" "modelcatalogue-sboms_${version}_SHA256SUMS"; do
  gpg --batch --local-user "$GPG_FINGERPRINT" --output "$list.sig" --detach-sign "$list"
done
