#!/usr/bin/env bash
# install.sh DIR VERSION [PLATFORM…] builds the provider for these platforms, such as linux_amd64, or by default for
# this one. An empty VERSION is the newest of CHANGELOG.md. DIR becomes a mirror of both registries, Terraform's and
# OpenTofu's: a filesystem mirror, and served by any web server a network mirror. It contains nothing else, so it can
# be uploaded as it is. With the CLI configuration file DIR.tfrc, `init` installs the provider from there, and every
# other from its registry. The sandbox's program is built into .cache/bin.
set -euo pipefail
umask 022 # a web server and other users read the files

fail() {
  echo "make install: $1" >&2
  exit 1
}

dir=${1:?the folder of the mirror} version=$2
if [[ $dir == "~"* ]]; then
  fail "your shell left the \"~\" in DIR=$dir: write DIR=\"\$HOME${dir#"~"}\"."
fi
clone=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [[ -z $version ]]; then
  version=$(sed -n 's/^## \([0-9.]*\).*/\1/p' "$clone/CHANGELOG.md" | sed -n 1p)
elif [[ ! $version =~ ^(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}$ ]]; then
  # Version constraints such as "~> 0.1" exclude pre-releases.
  fail "VERSION is three numbers, such as 0.1.1, not \"$version\"."
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
touch "$dir.tfrc" # fails before anything is built
platforms=("${@:3}")
cd "$clone"

flags="-s -w -X main.version=$version"
sandbox=$PWD/.cache/bin/modelcatalogue-sandbox$(go env GOEXE)
if ((${#platforms[@]} == 0)); then
  platforms=("$(go env GOOS)_$(go env GOARCH)")
fi

known=" $(go tool dist list | tr '/\n' '_ ')"
for platform in "${platforms[@]}"; do
  if [[ $known != *" $platform "* ]]; then
    fail "Go cannot build for $platform. PLATFORMS is such as \"linux_amd64 darwin_arm64\"."
  fi
done

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
go build -v -ldflags="$flags" -o="$sandbox" ./cmd/modelcatalogue-sandbox
# Lock files contain the provider's hash, so the build must not depend on this folder's path, its commit, or this
# machine's processor.
export GOAMD64=v1 GOARM=6 GOARM64=v8.0 GO386=sse2
built=()
for platform in "${platforms[@]}"; do
  export GOOS=${platform%_*} GOARCH=${platform#*_}
  # The archive contains the program, under the name that engines look for.
  program=$build/$platform/terraform-provider-modelcatalogue_v$version$(go env GOEXE)
  go build -v -trimpath -buildvcs=false -ldflags="$flags" -o="$program" .
  built+=("$program")
done
unset GOOS GOARCH GOAMD64 GOARM GOARM64 GO386
replaced=$(go run ./internal/tools/mirror "$dir" "$version" "${built[@]}")

# The path as a string of HCL.
path=${dir//\\/\\\\}
path=${path//\"/\\\"}
list='"registry.terraform.io/modelcatalogue/modelcatalogue", "registry.opentofu.org/modelcatalogue/modelcatalogue"'
cat >"$dir.tfrc" <<TFRC
provider_installation {
  filesystem_mirror {
    path    = "$path"
    include = [$list]
  }
  direct {
    exclude = [$list]
  }
}
TFRC

printf 'Installed modelcatalogue %s for %s in %s, built with %s\n' "$version" "${platforms[*]}" "$dir" "$(go env GOVERSION)"
printf 'Paste these two lines in the folder of a configuration; the second is tofu init for OpenTofu:\n\n'
printf '  export TF_CLI_CONFIG_FILE=%q\n' "$dir.tfrc"
printf '  terraform init\n\n'
if [[ -n $replaced ]]; then
  printf 'It replaces a different build of that version, and configurations that locked that one refuse it. Number\n'
  printf 'it instead (make install VERSION=…), or remove .terraform.lock.hcl and .terraform/providers in each.\n'
fi
printf 'In that shell the file stands in for ~/.terraformrc. Without a service at hand, run this in another\n'
printf 'shell, and paste what it prints; it serves a sandbox of the service: %q\n' "$sandbox"
