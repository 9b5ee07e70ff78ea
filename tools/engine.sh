#!/usr/bin/env bash
# engine.sh                      prints the absolute path of the engine for this project's commands
# engine.sh COMMAND [ARGUMENT…]  runs a command with the variables for acceptance tests
#
# The engine is TF_ACC_TERRAFORM_PATH if it is set, else `terraform` or `tofu` on the PATH, else the OpenTofu of
# tools/tofu, built once from Go modules.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ -n ${TF_ACC_TERRAFORM_PATH:-} ]]; then
  if ! found=$(type -P -- "$TF_ACC_TERRAFORM_PATH"); then
    echo "TF_ACC_TERRAFORM_PATH is \"$TF_ACC_TERRAFORM_PATH\", and no such program can be run." >&2
    exit 1
  fi
elif ! found=$(type -P terraform || type -P tofu); then
  found=$root/.cache/bin/tofu
  ${MAKE:-make} --silent --no-print-directory -C "$root" .cache/bin/tofu >&2
fi
found=$(cd "$(dirname "$found")" && pwd)/$(basename "$found")

if (($# == 0)); then
  printf '%s\n' "$found"
else
  export TF_ACC_TERRAFORM_PATH=$found TF_ACC=1
  exec "$@"
fi
