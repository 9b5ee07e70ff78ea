#!/usr/bin/env bash
# picture.sh FILE draws what `make demo` prints as an SVG. No font is embedded:
# it would be fifty times the size of the rest, and text stays text.
set -euo pipefail

file=${1:?the picture to write}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools/build.sh "the demonstration" "one to three minutes" go build -v -o "$work/" ./internal/tools/demo
unset NO_COLOR
CLICOLOR_FORCE=1 tools/with-engine.sh "$work/demo" >"$work/printed"
.cache/bin/freeze --language=ansi --output="$work/demo.svg" \
  --window --border.radius=8 --padding=20,30,20,20 --font.size=14 \
  --font.family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" \
  <"$work/printed" >/dev/null
# Written by git's rules: a line break at the end.
{ cat "$work/demo.svg" && echo; } >"$file"
