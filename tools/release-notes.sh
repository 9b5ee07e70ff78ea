#!/usr/bin/env bash
# release-notes.sh VERSION prints the section of a version in CHANGELOG.md, without the heading. It fails, and the
# release with it, if the section is missing or empty, or if the README still calls the provider unpublished.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=${1:?the version, for example 1.2.0}
notes=$(awk -v heading="## ${version#v}" '
  # "## 1.2.0" or "## 1.2.0 (1 May 2026)", but not "## 1.2.01", nor a version marked as unreleased.
  /^## / { on = ($0 == heading || index($0, heading " ") == 1) && !/[Uu]nreleased/; next }
  on
' CHANGELOG.md)
refused=
if [[ -z ${notes//[[:space:]]/} ]]; then
  echo "CHANGELOG.md lacks a section \"## ${version#v}\" with a date and a line in it" >&2
  refused=yes
fi
if grep -n '<!-- unpublished' README.md >&2; then
  echo "README.md still says that no registry has the provider: remove the lines between these comments" >&2
  refused=yes
fi
[[ -z $refused ]] || exit 1
printf '%s\n' "$notes"
