#!/usr/bin/env bash
# install.sh DIR builds the provider into the filesystem mirror DIR, for the
# registries of Terraform and of OpenTofu alike, and writes a CLI configuration
# file beside it with which `init` takes the provider from there. Every other
# provider comes from its registry as before. The sandbox's program is in DIR, too.
set -euo pipefail

dir=${1:?the folder of the mirror}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The version in progress, and no pre-release of it: version constraints such as
# "~> 0.1" admit none.
version=$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | sed -n 1p)
platform=$(go env GOOS)_$(go env GOARCH)
exe=$(go env GOEXE)
provider=terraform-provider-modelcatalogue
program=${provider}_v$version$exe
sandbox=modelcatalogue-sandbox$exe

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
tools/build.sh "the provider and the sandbox" "one to three minutes" \
  -ldflags="-s -w -X main.version=$version" -o="$build/" . ./cmd/modelcatalogue-sandbox

addresses=()
replaced=
for host in registry.terraform.io registry.opentofu.org; do
  address=$host/modelcatalogue/modelcatalogue
  addresses+=("\"$address\"")
  package=$dir/$address/$version/$platform
  mkdir -p "$package"
  if [[ -e $package/$program ]] && ! cmp -s "$build/$provider$exe" "$package/$program"; then
    replaced=yes
  fi
  # Not written in place: an engine may be running the old one.
  rm -f "$package/$program"
  cp "$build/$provider$exe" "$package/$program"
done
rm -f "$dir/$sandbox"
cp "$build/$sandbox" "$dir/$sandbox"

# The path as a string of HCL.
path=${dir//\\/\\\\}
path=${path//\"/\\\"}
list="${addresses[0]}, ${addresses[1]}"
cat >"$dir/modelcatalogue.tfrc" <<TFRC
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

printf 'Installed modelcatalogue %s for %s in %s\n' "$version" "$platform" "$dir"
printf 'Paste these two lines in the folder of a configuration; the second is tofu init for OpenTofu:\n\n'
printf '  export TF_CLI_CONFIG_FILE=%q\n' "$dir/modelcatalogue.tfrc"
printf '  terraform init\n\n'
if [[ -n $replaced ]]; then
  printf 'It replaces another build of that version. If a configuration has locked that one,\n'
  printf 'remove its .terraform.lock.hcl first.\n'
fi
printf 'In that shell the file stands in for ~/.terraformrc. Without a service at hand, run this in another\n'
printf 'shell, and paste what it prints; it serves a sandbox of the service: %q\n' "$dir/$sandbox"
