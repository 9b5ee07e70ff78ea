#!/usr/bin/env bash
# demo.sh is `make demo`. A real engine reads a catalogue, and its plans show a new revision, and one re-published in
# place. The output is the same each time, because the README shows it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

engine=$(tools/engine.sh)
work=$(mktemp -d)
sandbox=
clean() {
  [[ -z $sandbox ]] || kill "$sandbox" 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT
trap 'echo "Interrupted; everything is cleaned up." >&2; exit 130' INT TERM

# Colours follow NO_COLOR and CLICOLOR_FORCE. By default, only a terminal has them.
colour=-no-color arrow='==>' error=Error:
if [[ -z ${NO_COLOR:-} && (-n ${CLICOLOR_FORCE:-} || -t 1) ]]; then
  colour='' arrow=$'\e[36m==>\e[0m' error=╷ # the frame of an error
fi
step() { printf '%s %s\n' "$arrow" "$1"; }

# run ARGUMENT… runs the engine, with its output in $work/printed.
run() { (cd "$work/module" && "$engine" "$@" ${colour:+"$colour"}) >"$work/printed" 2>&1; }

# control ROUTE [ARGUMENT…] sends a request to a control route of the sandbox.
control() { curl -fsS --noproxy '*' "$MODELCATALOGUE_BASE_URL/control/$1" "${@:2}"; }

must() {
  if ! "$@"; then
    printf '\nThe demonstration failed:\n%s\n' "$(cat "$work/printed")" >&2
    exit 1
  fi
}

# show [START] indents the output, from the last line that contains START.
show() {
  printf '\n'
  awk -v start="${1:-}" '
    index($0, start) && (start != "" || NR == 1) { text = ""; on = 1 }
    /^You can apply this plan/ { on = 0 }
    on { text = text $0 "\n" }
    END { sub(/^\n+/, "", text); sub(/\n+$/, "", text); print text }
  ' "$work/printed" | sed 's/^./    &/'
  printf '\n'
}

# Without the user's settings.
unset "${!TF_@}" "${!MODELCATALOGUE_@}"
export CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_INPUT=0 TF_CLI_CONFIG_FILE=$work/engine.tfrc
printf 'provider_installation {\n  dev_overrides {\n    "modelcatalogue/modelcatalogue" = "%s"\n  }\n}\n' \
  "$work" >"$TF_CLI_CONFIG_FILE"
cp -R examples/pin-docker-image "$work/module"

step "Building the provider, and starting a sandbox of the catalogue."
go build -v -o="$work/" . ./cmd/modelcatalogue-sandbox
"$work/modelcatalogue-sandbox" -listen=127.0.0.1:0 -ready-file="$work/ready.json" >/dev/null &
sandbox=$!
until [[ -s $work/ready.json ]]; do
  kill -0 "$sandbox"
  sleep 0.1
done
MODELCATALOGUE_BASE_URL=$(sed -E 's/.*"url":"([^"]+)".*/\1/' "$work/ready.json")
export MODELCATALOGUE_BASE_URL MODELCATALOGUE_CLIENT_ID=northwind MODELCATALOGUE_CLIENT_SECRET=northwind-sandbox-secret
group=270c0fa6-6a8c-4874-8f76-da0680bcda61
image=registry.northwind.example/forecasting/north-sea-wind-week

step "Apply: one block pins revision 1 of a model and its image, another follows the latest."
must run apply -auto-approve
must run output
show

step "A revision is published. The next plan: the latest moves, the pinned image stays."
control "model-groups/$group/publish" -d "{\"dockerImage\": \"$image:3.0.0\"}" >/dev/null
must run plan
show "Changes to Outputs:"

step "Revision 1 is re-published in place with a different image. The next plan catches it."
# The time is fixed, because the plan shows it.
control "model-groups/$group/revisions/1/republish" \
  -d "{\"dockerImage\": \"$image:2.0.1\", \"updatedAt\": \"2026-06-02T09:00:00.000Z\"}" >/dev/null
must eval '! run plan'
show "$error"

control requests | grep -o '"route":"[a-z]*"' >"$work/requests"
step "Done. It took $(grep -c . "$work/requests") requests, $(grep -c token "$work/requests") of them for a token."
# On standard error, because the README shows standard output.
echo "In all it took $SECONDS s, the build included." >&2
