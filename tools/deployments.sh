#!/usr/bin/env bash
# deployments.sh validates the deployments of the guides, with other providers from the registry and this one from the
# clone. It needs the internet. Without it, tests validate the same files by a table of the providers' arguments.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

engine=$(tools/engine.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${MAKE:-make} --no-print-directory install DIR="$work/mirror" >/dev/null
unset "${!TF_@}"
export TF_CLI_CONFIG_FILE=$work/mirror.tfrc CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_INPUT=0
# Providers are large, and two of the configurations share one.
export TF_PLUGIN_CACHE_DIR=$work/plugins
mkdir "$TF_PLUGIN_CACHE_DIR"

for folder in examples/guides/deploy-a-model/* examples/guides/pin-docker-image/registry; do
  rm -rf "$work/module"
  cp -R "$folder" "$work/module"
  echo "== $folder"
  "$engine" "-chdir=$work/module" init -no-color
  "$engine" "-chdir=$work/module" validate -no-color
done
