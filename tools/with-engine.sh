#!/usr/bin/env bash
# with-engine.sh COMMAND [ARGUMENT…] runs a command with what acceptance tests
# need in its environment. It becomes that command, so signals reach it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# The engine's settings of whoever runs this (mirrors, overrides of this very
# provider) stay out of the tests.
export CHECKPOINT_DISABLE=1 TF_CLI_CONFIG_FILE=$here/empty.tfrc
unset TF_CLI_ARGS TF_DATA_DIR TF_WORKSPACE TF_PLUGIN_CACHE_DIR

# An engine that cannot be had ends here, not in a hundred skipped tests.
TF_ACC_TERRAFORM_PATH=$("$here/engine.sh")
TF_ACC=1
# Test configurations name their provider as users do, modelcatalogue/modelcatalogue.
# Where a source has no host, each engine adds its own registry's.
TF_ACC_PROVIDER_NAMESPACE=modelcatalogue
TF_ACC_PROVIDER_HOST=registry.terraform.io
version=$("$TF_ACC_TERRAFORM_PATH" version)
if [[ $version == OpenTofu* ]]; then
  TF_ACC_PROVIDER_HOST=registry.opentofu.org
fi
export TF_ACC TF_ACC_TERRAFORM_PATH TF_ACC_PROVIDER_NAMESPACE TF_ACC_PROVIDER_HOST
echo "engine: ${version%%$'\n'*}, $TF_ACC_TERRAFORM_PATH" >&2

exec "$@"
