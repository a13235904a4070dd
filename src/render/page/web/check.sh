#!/usr/bin/env bash
# Checks the scripts of the pages: their form, and their types, each page's scripts together. Node's packages are tools here;
# nothing of them is part of a page.
set -euo pipefail
cd "$(dirname "$0")"
tool() { npm exec --yes --package="$1" -- "${@:2}"; }
types() { tool typescript@7.0 tsc --allowJs --checkJs --noEmit --strict --noUnusedLocals --noUnusedParameters --target es2023 --lib es2023,dom,dom.iterable "$@"; }
tool prettier@3.10 prettier --print-width 140 --check -- *.js *.css
common=(columns.js numbers.js elements.js profile.js state.js app.js table.js)
types "${common[@]}" function.js tree.js picture.js tabs.js main.js
types "${common[@]}" tree.js picture.js comparison.js changes.js
types "${common[@]}" trend.js
# Pages are sent without indentation, so no template may run over a line end.
! awk '{ if (gsub(/`/, "`") % 2) { print FILENAME ":" FNR ": a template runs over a line end"; found = 1 } } END { exit !found }' ./*.js
