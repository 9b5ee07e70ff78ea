#!/usr/bin/env bash
# rehearsal.sh [FOLDER] makes a release of the commit that is checked out and uses it
# as a user does, up to a plan. Nothing is published; FOLDER keeps the release.
#
# It signs with a temporary key, builds and verifies as the workflow does, installs
# the provider from a filesystem mirror with a real engine, plans against the
# released sandbox, shows that a changed executable is refused, and builds the same
# commit again to compare the two byte by byte. It needs git, gpg, openssl, zip and
# unzip beside Go.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

keep=${1:-}
engine=${TF_ACC_TERRAFORM_PATH:?the engine, from tools/with-engine.sh}
export GORELEASER=${GORELEASER:-$root/.cache/bin/goreleaser} CYCLONEDX=${CYCLONEDX:-$root/.cache/bin/cyclonedx-gomod}
sums=$root/tools/sums.sh
# Without the user's settings.
unset "${!TF_@}" "${!MODELCATALOGUE_@}"

# Without symbolic links: executables are searched for this path.
work=$(cd "$(mktemp -d)" && pwd -P)
export GNUPGHOME=$work/gpg
clean() {
  # The agent that gpg leaves behind.
  gpgconf --kill all || true
  rm -rf "$work"
}
trap clean EXIT

# quietly COMMAND… shows what a command prints only if it fails.
quietly() {
  if ! "$@" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    return 1
  fi
}

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

# build NAME makes a release of the commit in a clone of its own.
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

# As its user: init from a mirror, and a plan against the sandbox.
export TF_CLI_CONFIG_FILE=$work/engine.tfrc CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_INPUT=0
printf 'provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n' "$work/mirror" >"$TF_CLI_CONFIG_FILE"
name=$("$engine" version | sed -n '1s/ v/ /p')
host=registry.terraform.io
[[ $name != OpenTofu* ]] || host=registry.opentofu.org
platform=$(go env GOOS)_$(go env GOARCH)
archive=terraform-provider-modelcatalogue_${version}_$platform.zip
mirror=$work/mirror/$host/modelcatalogue/modelcatalogue
mkdir -p "$mirror" "$work/module"
cp "$release/$archive" "$mirror"
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
cd "$work/module"
quietly "$engine" init -no-color
unzip -q "$release/$archive" -d "$work/unpacked"
# The lock file's checksum of an archive is that of the list of its files' checksums.
hash=h1:$(cd "$work/unpacked" && LC_ALL=C "$sums" -- * | openssl dgst -sha256 -binary | openssl base64)
for want in "$host/modelcatalogue/modelcatalogue" "$version" "$hash"; do
  grep -qF "\"$want\"" .terraform.lock.hcl || fail "The lock file lacks $want:" "$(cat .terraform.lock.hcl)"
done
echo "$name installs $version from a mirror and locks its checksum"

unzip -q "$release/modelcatalogue-sandbox_${version}_$platform.zip" -d "$work/sandbox"
program=$work/sandbox/modelcatalogue-sandbox
quietly "$program" exec -- "$engine" plan -no-color
found=$(sed -n 's/^ *+ model_groups = \([1-9][0-9]*\)$/\1/p' "$work/log")
[[ -n $found ]] || fail "The plan does not find model groups in the sandbox:" "$(cat "$work/log")"
echo "the installed provider reads $found model groups of the released sandbox"

# As SECURITY.md says, an executable with one more byte is not installed, even if
# its archive is in order.
printf x >>"$work/unpacked/terraform-provider-modelcatalogue_v$version"
rm -rf "${mirror:?}/$archive" .terraform
(cd "$work/unpacked" && zip -q "$mirror/$archive" -- *)
if "$engine" init -no-color >"$work/log" 2>&1 || ! grep -q checksum "$work/log"; then
  fail "A changed executable is not refused for its checksum:" "$(cat "$work/log")"
fi
echo "a changed executable is refused for its checksum"

# With a cache of its own: nothing of the first build can be in the second. Of a
# release, only the signatures differ between two builds.
cd "$root"
GOCACHE=$work/gocache build second
diff -r --exclude='*.sig' "$release" "$work/second/dist/release"
echo "the second clone, compiled afresh, gives the same archives, bills and checksums, byte by byte"

# The workflow checks this of a tag first.
if ! tools/release-notes.sh "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | sed -n 1p)" >/dev/null 2>"$work/log"; then
  printf 'a tag of this commit is refused:\n%s\n' "$(cat "$work/log")"
fi

[[ -z $keep ]] || cp -R "$release" "$keep"
echo "the rehearsal of $version is complete in $((SECONDS / 60)) minutes; nothing was published"
