#!/usr/bin/env bash
# Checks the scripts of the pages: their form, and the types of all that pages begin with, which imports everything. Node's
# packages are tools here; nothing of them is part of a page.
set -euo pipefail
cd "$(dirname "$0")"
tool() { npm exec --yes --package="$1" -- "${@:2}"; }
tool prettier@3.10 prettier --print-width 140 --check -- *.js *.css ../../../../tests/scripts/*.js
tool typescript@7.0 tsc --allowJs --checkJs --noEmit --strict --noUnusedLocals --noUnusedParameters --module es2022 \
  --target es2023 --lib es2023,dom,dom.iterable begin_*.js
# Pages are sent without indentation, so no template may run over a line end.
! awk '{ if (gsub(/`/, "`") % 2) { print FILENAME ":" FNR ": a template runs over a line end"; found = 1 } } END { exit !found }' ./*.js
