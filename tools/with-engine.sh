#!/usr/bin/env bash
# with-engine.sh COMMAND [ARGUMENT…] runs a command with the variables that acceptance
# tests need in its environment: TF_ACC, and TF_ACC_TERRAFORM_PATH as the engine. It
# becomes that command, so signals reach it.
set -euo pipefail

# An engine that cannot be had ends here, not in a hundred skipped tests.
TF_ACC_TERRAFORM_PATH=$("$(dirname "${BASH_SOURCE[0]}")/engine.sh")
export TF_ACC_TERRAFORM_PATH TF_ACC=1

exec "$@"
