#!/usr/bin/env bash
# docs.sh writes docs/ from the provider's schema, templates/ and examples/, and what `make demo` prints into the
# README. It downloads nothing: the engine prints the schema of the provider built here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

engine=$(tools/engine.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quietly FILE COMMAND… writes a command's output to a file. If the command fails, it prints both output and errors.
quietly() {
  if ! "${@:2}" >"$1" 2>"$work/log"; then
    cat "$1" "$work/log" >&2
    return 1
  fi
}

# tfplugindocs finds a provider only in the namespace "hashicorp", so the provider has that address here. The pages do
# not show it.
address=registry.terraform.io/hashicorp/modelcatalogue
# This build declares lists of small objects as nested attributes. tfplugindocs omits descriptions of the fields of a
# plain list, and breaks a list in an attribute's description.
module=github.com/modelcatalogue/terraform-provider-modelcatalogue
go build -v -o="$work/" -ldflags=-X="$module/internal/provider.forPages=yes" .
printf 'provider_installation {\n  dev_overrides {\n    "%s" = "%s"\n  }\n}\n' "$address" "$work" >"$work/engine.tfrc"
printf 'terraform {\n  required_providers {\n    modelcatalogue = {\n      source = "%s"\n    }\n  }\n}\n' \
  "$address" >"$work/main.tf"
export CHECKPOINT_DISABLE=1 TF_CLI_CONFIG_FILE=$work/engine.tfrc
unset TF_CLI_ARGS TF_DATA_DIR TF_WORKSPACE TF_LOG

"$engine" fmt -check -diff -recursive examples
quietly "$work/schema.json" "$engine" -chdir="$work" providers schema -json
if ! grep -q '"parse_image"' "$work/schema.json"; then
  echo "The schema from $engine does not have functions: generating needs Terraform 1.8, OpenTofu 1.7 or later." >&2
  exit 1
fi
quietly "$work/printed" .cache/bin/tfplugindocs generate --provider-name=modelcatalogue \
  --rendered-provider-name="Model Catalogue" --providers-schema="$work/schema.json"
quietly "$work/printed" .cache/bin/tfplugindocs validate --provider-name=modelcatalogue --providers-schema="$work/schema.json"

NO_COLOR=1 TF_ACC_TERRAFORM_PATH=$engine quietly "$work/printed" tools/demo.sh
awk -v printed="$work/printed" '
  /^<!-- demo: end -->$/ { inside = 0 }
  !inside
  /^<!-- demo: begin -->$/ {
    inside = 1
    print "```text"
    while ((getline line < printed) > 0) print line
    print "```"
  }
' README.md >"$work/README.md"
grep -q '^==> Done' "$work/README.md" || { echo "README.md lacks the comments around the demonstration" >&2; exit 1; }
cp "$work/README.md" README.md
echo "docs: $(find docs -type f | wc -l | tr -d ' ') pages and the README"
