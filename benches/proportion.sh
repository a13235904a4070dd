#!/usr/bin/env bash
# Shows that no command takes more than n log n: counts its instructions, under Valgrind, for a profile and for one with
# ten times as many functions, arcs, lines, parts, events, callers of a function, functions in a row or in a circle, or
# names that the comparison must bring together; and for a program whose debug information has ten times as many units,
# entries, attributes, files, rows, symbols, or functions inlined into each other. Fails if any command needs more than 14
# times as many.
#
#   benches/proportion.sh             everything: a table, about twelve minutes on two processors
#   benches/proportion.sh --short     a few commands, under a minute
#   benches/proportion.sh SHAPE...    some shapes; `scale shape` and debug.py list them
#
# What the program needs for a profile of three functions is taken off first. Unlike seconds, instructions hardly differ
# between two runs. The variable CGANNOTATE names another program than target/release/cgannotate.
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
most=14

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }
debug=(units entries attributes files rows symbols depth)
shapes=(functions templates clones addresses folders objects renamed arcs callers lines parts events chain cycle "${debug[@]}")
short=no
case ${1:-} in
    -h | --help) usage; exit 0 ;;
    --short) short=yes; shapes=(functions entries) ;;
    -*) usage >&2; exit 2 ;;
    ?*) shapes=("$@") ;;
esac
command -v valgrind > /dev/null || { echo "proportion.sh: valgrind is not installed" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ours=${CGANNOTATE:-${CARGO_TARGET_DIR:-$root/target}/release/cgannotate}
if [[ -z ${CGANNOTATE:-} ]]; then
    (cd "$root" && cargo build --release --quiet --bin cgannotate)
fi
ours=$(realpath "$ours")
one_thread=()
if [[ $("$ours" --help 2>&1) == *--threads* ]]; then one_thread=(--threads=1); fi
rustc --edition 2024 -O -o "$work/scale" "$root/benches/scale.rs"
cd "$work"

# --- what is counted

# The smaller number; the larger is ten times that.
number_of() {
    case $1 in
        functions) [[ $short == yes ]] && echo 1000 || echo 5000 ;;
        lines | arcs) echo 20000 ;;
        events) echo 20 ;;
        # Each instruction has a chain as long as that.
        depth) echo 100 ;;
        entries) [[ $short == yes ]] && echo 300 || echo 1000 ;;
        *) echo 1000 ;;
    esac
}

commands_of() {
    case $1 in
        entries) [[ $short == no ]] || { echo inlined; return; } ;;
        *) [[ $short == no ]] || { echo list tree json diff; return; } ;;
    esac
    case $1 in
        functions)
            echo list auto inclusive tree zoom by-file by-class json csv markdown diff diff-self diff-lines \
                diff-inclusive check merge callgrind webgrind folded dot speedscope page page-diff page-trend pack ;;
        templates | clones | addresses | renamed) echo tree json diff diff-self diff-lines check page-diff ;;
        folders | objects) echo tree json diff diff-self diff-lines check page page-diff page-trend pack ;;
        arcs | callers | chain | cycle) echo tree zoom json diff merge webgrind folded dot page page-diff ;;
        lines) echo list lines json diff diff-lines check merge page page-diff pack ;;
        parts) echo list split csv json diff check merge page pack ;;
        events) echo list tree csv json diff check merge page ;;
        # Those of debug.py.
        *) echo inlined inlined-json inlined-diff page page-inlined pack ;;
    esac
}

# The arguments of a command for the profiles OLD and NEW and the baseline BASE.
arguments_of() {
    case $1 in
        list) echo OLD --auto=no ;;
        auto) echo OLD --auto=yes ;;
        inclusive) echo OLD --inclusive=yes --threshold=100 --auto=no ;;
        tree) echo OLD --inclusive=yes --tree=both --threshold=100 --auto=no ;;
        zoom) echo OLD --zoom=. --depth=8 --auto=no ;;
        by-file) echo OLD --by=file --threshold=100 ;;
        by-class) echo OLD --by=class --threshold=100 ;;
        lines) echo OLD --by=line --format=csv --threshold=100 ;;
        split) echo OLD --split=part --auto=no ;;
        json) echo OLD --format=json ;;
        csv) echo OLD --format=csv --threshold=100 ;;
        markdown) echo OLD --format=markdown --threshold=100 ;;
        diff) echo diff OLD NEW --threshold=100 ;;
        diff-self) echo diff OLD OLD ;;
        diff-lines) echo diff OLD NEW --by=line --threshold=100 ;;
        diff-inclusive) echo diff OLD NEW --inclusive=yes --format=json ;;
        check) echo check NEW --baseline BASE --limit "self.EVENT(/./)<=+9000%" ;;
        merge) echo merge OLD NEW -o OUT ;;
        page) echo OLD --format=html -o OUT ;;
        page-diff) echo diff OLD NEW --format=html -o OUT ;;
        page-trend) echo trend OLD NEW OLD --format=html -o OUT ;;
        page-inlined) echo OLD --own-code=function --own --inlined --format=html -o OUT ;;
        pack) echo pack OLD -o OUT ;;
        inlined) echo OLD --inlined --threshold=100 --auto=no ;;
        inlined-json) echo OLD --inlined --format=json ;;
        inlined-diff) echo diff OLD NEW --inlined --own-code=function --threshold=100 ;;
        *) echo convert OLD --to "$1" -o OUT ;;
    esac
}

# Nothing but the program may differ between two runs: no environment, no random addresses, one thread.
fixed=()
if setarch "$(uname -m)" -R true 2> /dev/null; then fixed=(setarch "$(uname -m)" -R); fi

count() { # the instructions of a command on a shape of a number
    local shape=$1 command=$2 number=$3 event=Ir id="$1.$2.$3" status=0
    local -a arguments
    if [[ $shape == events ]]; then event=E0; fi
    read -ra arguments <<< "$(arguments_of "$command")"
    arguments=("${arguments[@]//OLD/old.$shape.$number}")
    arguments=("${arguments[@]//NEW/new.$shape.$number}")
    arguments=("${arguments[@]//BASE/base.$shape.$number}")
    arguments=("${arguments[@]//OUT/out.$id}")
    arguments=("${arguments[@]//EVENT/$event}")
    arguments+=("${one_thread[@]}")
    env -i PATH=/usr/bin:/bin LC_ALL=C "${fixed[@]}" "$(command -v valgrind)" --tool=cachegrind --cache-sim=no \
        --cachegrind-out-file=/dev/null --log-file="log.$id" "$ours" "${arguments[@]}" > "report.$id" 2> "errors.$id" \
        || status=$?
    if [[ $status -ne 0 ]]; then
        { echo "proportion.sh: ${arguments[*]}: status $status"; tail -n 5 "errors.$id" "report.$id"; } >&2
        return 1
    fi
    awk '/I *refs:/ { gsub(",", "", $NF); print $NF }' "log.$id"
    rm -f "report.$id" "out.$id"
}

profiles() { # both runs of a shape, a baseline of the old one, a few of the sources
    local shape=$1 number=$2 event=Ir file
    if [[ " ${debug[*]} " == *" $shape "* ]]; then
        local binary="$work/bin.$shape.$number"
        python3 "$root/benches/debug.py" "$shape" "$number" "$binary" "old.$shape.$number" 10
        python3 "$root/benches/debug.py" "$shape" "$number" "$binary" "new.$shape.$number" 12
        return
    fi
    ./scale shape "$shape" "$number" old > "old.$shape.$number"
    ./scale shape "$shape" "$number" new > "new.$shape.$number"
    if [[ $shape == events ]]; then event=E0; fi
    "$ours" check "old.$shape.$number" --limit "total.$event<=900T" --save-baseline "base.$shape.$number" > /dev/null
    sed -n 's/^fl=\(src\/.*\)/\1/p' "old.$shape.$number" | uniq | head -n 3 | while read -r file; do
        mkdir -p "$(dirname "$file")"
        seq -f '    line %.0f of a source file' 2500 > "$file"
    done || true
}

one() { # a row of the table
    local shape=$1 command=$2 number=$3 few many
    few=$(count "$shape" "$command" "$number") || return 0
    many=$(count "$shape" "$command" $((10 * number))) || return 0
    awk -v few="$few" -v many="$many" -v start="$start" -v most="$most" -v shape="$shape" -v command="$command" \
        -v number="$number" 'BEGIN {
            growth = (many - start) / (few - start)
            printf "%-10s %7d %-14s %9.1f %9.1f %7.2f%s\n", shape, number, command, few / 1e6, many / 1e6, growth,
                (growth > most ? "  too much" : "")
        }' > "row.$shape.$command"
}

profiles functions 3
start=$(count functions list 3)
rows=()
echo "shape       number command         millions   ten fold  growth"
for shape in "${shapes[@]}"; do
    number=$(number_of "$shape")
    profiles "$shape" "$number"
    profiles "$shape" $((10 * number))
    of_shape=()
    for command in $(commands_of "$shape"); do
        while [[ $(jobs -rp | wc -l) -ge $(nproc) ]]; do wait -n || true; done
        one "$shape" "$command" "$number" &
        of_shape+=("row.$shape.$command")
    done
    wait
    cat "${of_shape[@]}" 2> /dev/null || true
    rows+=("${of_shape[@]}")
    rm -f ./*."$shape".[0-9]*
done
status=0
for row in "${rows[@]}"; do
    if [[ ! -e $row ]] || grep -q 'too much$' "$row"; then status=1; fi
done
exit $status
