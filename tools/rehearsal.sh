#!/usr/bin/env bash
# rehearsal.sh [FOLDER] makes a release of the checked-out commit, and uses it as a user does, up to a plan. It
# publishes nothing, and copies the release to FOLDER.
#
# It signs with a temporary key, builds and verifies as the workflow does, installs the provider from a mirror by a
# real engine, plans against the released sandbox, and builds the commit again to compare both releases byte by byte.
# It needs git, gpg, shasum and unzip beside Go.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

keep=${1:-}
engine=${TF_ACC_TERRAFORM_PATH:?the engine, from tools/engine.sh}
export GORELEASER=$PWD/.cache/bin/goreleaser CYCLONEDX=$PWD/.cache/bin/cyclonedx-gomod
# Without the user's settings.
unset "${!TF_@}" "${!MODELCATALOGUE_@}"

work=$(mktemp -d)
export GNUPGHOME=$work/gpg
# gpg leaves an agent behind.
trap 'gpgconf --kill all || true; rm -rf "$work"' EXIT

# quietly COMMAND… prints the output of a command only if it fails.
quietly() {
  if ! "$@" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    return 1
  fi
}

# build NAME makes a release of the commit in a new clone.
build() {
  local began=$SECONDS
  git clone --quiet . "$work/$1"
  git -C "$work/$1" checkout --quiet --detach "$commit"
  quietly "$work/$1/tools/release.sh" --snapshot
  echo "built the $1 clone in $((SECONDS - began)) s"
}

commit=$(git rev-parse --verify 'HEAD^{commit}')
echo "commit $commit; $(git status --porcelain | wc -l | tr -d ' ') changed files are not in it, nor in the build"

mkdir -m 700 "$GNUPGHOME"
# RSA: the registry does not accept elliptic curves.
quietly gpg --batch --pinentry-mode=loopback --passphrase= \
  --quick-generate-key "Release rehearsal <rehearsal@example.invalid>" rsa3072 sign 1d
GPG_FINGERPRINT=$(gpg --batch --no-auto-check-trustdb --with-colons --list-secret-keys | awk -F: '$1 == "fpr" { print $10; exit }')
export GPG_FINGERPRINT

build first
release=$work/first/dist/release
version=$(sed -n 's/.*"version":"\([^"]*\)".*/\1/p' "$work/first/dist/metadata.json")
"$work/first/tools/verify-release.sh" "$release" "$version"

# Use it as a user does, with the archives of this machine's platform.
platform=$(go env GOOS)_$(go env GOARCH)
export TF_CLI_CONFIG_FILE=$work/engine.tfrc CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_INPUT=0
printf 'provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n' "$work/mirror" >"$TF_CLI_CONFIG_FILE"
for host in registry.terraform.io registry.opentofu.org; do
  mkdir -p "$work/mirror/$host/modelcatalogue/modelcatalogue"
  cp "$release/terraform-provider-modelcatalogue_${version}_$platform.zip" "$work/mirror/$host/modelcatalogue/modelcatalogue"
done
unzip -q "$release/modelcatalogue-sandbox_${version}_$platform.zip" -d "$work/sandbox"
mkdir "$work/module"
cat >"$work/module/main.tf" <<HCL
terraform {
  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "$version"
    }
  }
}

data "modelcatalogue_model_groups" "all" {}

output "model_groups" {
  value = length(data.modelcatalogue_model_groups.all.model_groups)
}
HCL
quietly "$engine" -chdir="$work/module" init -no-color
quietly "$work/sandbox/modelcatalogue-sandbox" exec -- "$engine" -chdir="$work/module" plan -no-color
if ! grep '^ *+ model_groups = [1-9]' "$work/log"; then
  printf 'The plan does not find model groups in the sandbox:\n%s\n' "$(cat "$work/log")" >&2
  exit 1
fi
echo "an engine installs $version from a mirror, and reads the released sandbox"

# With an empty cache, so the second build reuses nothing of the first. Only signatures differ between two builds.
GOCACHE=$work/gocache build second
diff -r --exclude='*.sig' "$release" "$work/second/dist/release"
echo "the second clone, compiled afresh, gives the same archives, bills and checksums, byte by byte"

# The workflow checks this first.
if ! tools/release-notes.sh "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | sed -n 1p)" >/dev/null 2>"$work/log"; then
  printf 'a tag of this commit is refused:\n%s\n' "$(cat "$work/log")"
fi

[[ -z $keep ]] || cp -R "$release" "$keep"
echo "the rehearsal of $version is complete in $((SECONDS / 60)) minutes; nothing was published"
