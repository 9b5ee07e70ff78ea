#!/usr/bin/env bash
# Prints the absolute path of the engine that this project's commands use:
# TF_ACC_TERRAFORM_PATH if it is set, else `terraform`, else `tofu` on the
# PATH, else the OpenTofu that tools/tofu pins, built once from Go modules.
# Nothing but the path goes to standard output.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ -n ${TF_ACC_TERRAFORM_PATH:-} ]]; then
  if ! found=$(type -P -- "$TF_ACC_TERRAFORM_PATH"); then
    echo "TF_ACC_TERRAFORM_PATH is \"$TF_ACC_TERRAFORM_PATH\", and no such program can be run." >&2
    exit 1
  fi
elif ! found=$(type -P terraform || type -P tofu); then
  found=$root/.cache/bin/tofu
  # make decides whether there is something to build.
  ${MAKE:-make} --silent --no-print-directory -C "$root" .cache/bin/tofu >&2
fi

case $found in
  /*) printf '%s\n' "$found" ;;
  *) printf '%s/%s\n' "$(cd "$(dirname "$found")" && pwd)" "$(basename "$found")" ;;
esac
