#!/usr/bin/env bash
# lint-examples.sh checks the examples by the recommended rules of tflint, each folder as its reader uses it: without a
# main.tf, with the block of provider/provider.tf.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R examples "$work"
for file in "$work"/examples/*/*/*.tf "$work"/examples/*/*/*/*.tf; do
  folder=$(dirname "$file")
  [[ -e $folder/main.tf ]] || cp examples/provider/provider.tf "$folder"
done
# A home without settings of tflint.
HOME=$work .cache/bin/tflint --recursive --chdir="$work/examples"
echo "examples: no findings by tflint $(HOME=$work .cache/bin/tflint --version | sed -n 's/^TFLint version //p')"
