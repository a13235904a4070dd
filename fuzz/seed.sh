#!/bin/sh
# Fills the corpus with the profiles among the fixtures: fuzz/seed.sh
set -eu
cd "$(dirname "$0")"
mkdir -p corpus/reports
find ../fixtures -type f -size -16k ! -path '*/goldens/*' ! -path '*/sources/*' ! -path '*/expected/*' |
    grep -E '\.(out|kcg|xt|gz|xz|zst)([-.0-9]*)$|/(aprof|cases|regressions|webgrind|xdebug)/|callgrind\.out|cachegrind\.out' |
    grep -vE '\.(md|json|sh|c|h|cpp|hpp|rs|php|py)$' |
    while read -r file; do
        cp "$file" "corpus/reports/$(echo "$file" | sed 's|^\.\./fixtures/||; s|/|-|g')"
    done
ls corpus/reports | wc -l
