#!/usr/bin/env bash
# docs.sh generate   writes docs/ from the provider's schema, templates/ and examples/,
#                    and what `make demo` prints into the README
# docs.sh check      fails if docs/ or the README differ from that
# Nothing is downloaded: the engine prints the schema of the provider built here.
set -euo pipefail

mode=${1:?generate or check}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

engine=$(tools/engine.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# tfplugindocs looks for a provider only in the namespace "hashicorp", so the
# provider goes by that address here; the pages do not show it.
address=registry.terraform.io/hashicorp/modelcatalogue
# This build has nested attributes in place of lists of small objects. tfplugindocs
# prints the fields of a plain list without their descriptions, and breaks a list in
# the description of an attribute.
module=github.com/modelcatalogue/terraform-provider-modelcatalogue
tools/build.sh "the provider" "one to three minutes" -o="$work/" \
  -ldflags=-X="$module/internal/provider.forPages=yes" .
cat >"$work/engine.tfrc" <<EOF
provider_installation {
  dev_overrides {
    "$address" = "$work"
  }
}
EOF
cat >"$work/main.tf" <<EOF
terraform {
  required_providers {
    modelcatalogue = {
      source = "$address"
    }
  }
}
EOF

export CHECKPOINT_DISABLE=1 TF_CLI_CONFIG_FILE=$work/engine.tfrc
unset TF_CLI_ARGS TF_DATA_DIR TF_WORKSPACE TF_LOG

# Overrides are announced on standard error; it is shown only if this fails.
if ! (cd "$work" && "$engine" providers schema -json) >"$work/schema.json" 2>"$work/engine.log"; then
  cat "$work/engine.log" >&2
  exit 1
fi
if ! grep -q '"parse_image"' "$work/schema.json"; then
  echo "The schema from $engine does not have functions: generating needs Terraform 1.8, OpenTofu 1.7 or later." >&2
  exit 1
fi

tfplugindocs() {
  # Quiet unless it fails: it reports each file that it copies.
  if ! .cache/bin/tfplugindocs "$@" >"$work/tfplugindocs.log" 2>&1; then
    cat "$work/tfplugindocs.log" >&2
    exit 1
  fi
}

generate() {
  tfplugindocs generate --provider-name=modelcatalogue \
    --rendered-provider-name="Model Catalogue" \
    --providers-schema="$work/schema.json" --rendered-website-dir="$1"
}

# readme prints the README with the output of the demonstration in its place.
readme() {
  if ! NO_COLOR=1 TF_ACC_TERRAFORM_PATH=$engine tools/demo.sh >"$work/printed" 2>"$work/demo.log"; then
    cat "$work/demo.log" >&2
    return 1
  fi
  awk -v printed="$work/printed" '
    /^<!-- demo: end -->$/ { inside = 0 }
    !inside
    /^<!-- demo: begin -->$/ {
      inside = 1
      print "```text"
      while ((getline line < printed) > 0) print line
      print "```"
    }
  ' README.md
}

case $mode in
  generate)
    generate docs
    readme >"$work/README.md"
    cp "$work/README.md" README.md
    echo "docs: $(find docs -type f | wc -l | tr -d ' ') pages and the README"
    ;;
  check)
    "$engine" fmt -check -diff -recursive examples
    # tfplugindocs accepts only a path below the root.
    trap 'rm -rf "$work" .cache/docs' EXIT
    rm -rf .cache/docs
    generate .cache/docs
    if ! diff -ruN docs .cache/docs; then
      echo "docs/ is not what templates/, examples/ and the schema make of it: run \`make docs\` and commit the result." >&2
      exit 1
    fi
    readme >"$work/README.md"
    if ! grep -q '^==> Done' README.md || ! diff README.md "$work/README.md"; then
      echo "README.md does not show what \`make demo\` prints: run \`make docs\` and commit the result." >&2
      exit 1
    fi
    tfplugindocs validate --provider-name=modelcatalogue --providers-schema="$work/schema.json"
    echo "docs: as generated"
    ;;
  *)
    echo "docs.sh: generate or check, not \"$mode\"" >&2
    exit 2
    ;;
esac
