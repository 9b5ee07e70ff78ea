#!/usr/bin/env bash
# release.sh [--snapshot] builds a release of the commit that is checked out and
# leaves its files in dist/release: archives of the provider and of the sandbox,
# the interface as an OpenAPI document, a list of checksums for each of the two
# programs, and a signature of each list. Nothing is published.
#
# GPG_FINGERPRINT names the key that signs. GORELEASER is the goreleaser program,
# by default .cache/bin/goreleaser. With --snapshot the commit needs no tag.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

: "${GPG_FINGERPRINT:?the fingerprint of the key that signs}"
goreleaser=${GORELEASER:-$PWD/.cache/bin/goreleaser}

"$goreleaser" release --clean "$@"

version=$(sed -n 's/.*"version":"\([^"]*\)".*/\1/p' dist/metadata.json)
provider=terraform-provider-modelcatalogue_$version
sandbox=modelcatalogue-sandbox_$version
mkdir dist/release
cp dist/*.zip dist/*_SHA256SUMS dist/*_SHA256SUMS.sig dist/release
cp terraform-registry-manifest.json "dist/release/${provider}_manifest.json"
cp internal/contract/openapi.json "dist/release/${sandbox}_openapi.json"

cd dist/release
list=${sandbox}_SHA256SUMS
../../tools/sums.sh "$sandbox"_*.zip "${sandbox}_openapi.json" >"$list"
gpg --batch --local-user "$GPG_FINGERPRINT" --output "$list.sig" --detach-sign "$list"
