#!/usr/bin/env bash
# Counts, under Callgrind, the instructions that cgannotate needs per byte of its input, and fails when any of the
# numbers kept in instructions.txt is exceeded by more than 3 %. Unlike seconds, these numbers hardly differ between two
# runs: by a hundredth of a percent, as hash tables are seeded at random.
#
#   benches/instructions.sh            compare; exit status 1 if anything grew
#   benches/instructions.sh --update   keep the new numbers (and say in the commit why they are higher)
#
# They belong to one compiler: instructions.txt says which, and with another one the numbers are only shown. The
# processor matters little, as Valgrind hides all that is newer than AVX2, but a machine without AVX2 searches lines by
# other instructions.
# The variable CGANNOTATE names another program than target/release/cgannotate.
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
kept=$root/benches/instructions.txt
allowed=3 # percent

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }
update=no
case $#,${1:-} in
    0,) ;;
    1,--update) update=yes ;;
    1,-h | 1,--help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac
command -v valgrind > /dev/null || { echo "instructions.sh: valgrind is not installed" >&2; exit 2; }

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

# --- the inputs: made-up functions, and a real profile repeated as further parts; a few sources are at hand

cd "$work"
./scale synthetic 6M > synthetic
./scale parts "$root/fixtures/shapes/shapes.instr-jumps.out" 3M > parts
sed -n 's/^fl=([0-9]*) //p' synthetic | head -n 5 > files || true
while read -r file; do
    mkdir -p "$(dirname "$file")"
    seq -f '    line %.0f of a source file' 2500 > "$file"
done < files

# --- what is counted

modes=(auto-no auto-yes inclusive-tree)
options_of() {
    case $1 in
        auto-no) echo --auto=no ;;
        auto-yes) echo --auto=yes ;;
        inclusive-tree) echo --inclusive=yes --tree=both --auto=no ;;
    esac
}

# Nothing but the program may differ between two runs: no environment, no random addresses, one thread.
fixed=()
if setarch "$(uname -m)" -R true 2> /dev/null; then fixed=(setarch "$(uname -m)" -R); fi

count() { # the instructions of one mode on one input
    local -a options
    read -ra options <<< "$(options_of "$1")"
    rm -f counted
    if ! env -i PATH=/usr/bin:/bin LC_ALL=C "${fixed[@]}" "$(command -v valgrind)" --tool=callgrind \
        --callgrind-out-file=counted "$ours" "${options[@]}" "${one_thread[@]}" "$2" > report 2> errors; then
        echo "instructions.sh: $1 of $2 failed:" >&2
        tail -n 20 errors >&2
        exit 2
    fi
    awk '$1 == "totals:" { print $2 }' counted
}

{
    echo "# Instructions per byte of input, as benches/instructions.sh --update counted them with $(rustc --version)."
    for input in synthetic parts; do
        bytes=$(wc -c < "$input")
        for mode in "${modes[@]}"; do
            instructions=$(count "$mode" "$input")
            awk -v mode="$mode" -v input="$input" -v instructions="$instructions" -v bytes="$bytes" \
                'BEGIN { printf "%-10s %-15s %9.4f\n", input, mode, instructions / bytes }'
        done
    done
} > now

# --- against what was kept

if [[ $update == yes ]]; then
    cat now
    cp now "$kept"
    exit
fi
[[ -e $kept ]] || { cat now; echo "instructions.sh: $kept is not there: run with --update" >&2; exit 2; }
status=0
awk -v allowed="$allowed" '
    FNR == 1 { compiler[++files] = $0; gsub(/.* with |[.]$/, "", compiler[files]) }
    /^#/ { next }
    files == 1 { kept[$1, $2] = $3; next }
    !(($1, $2) in kept) { printf "%-10s %-15s %9.4f  no number is kept\n", $1, $2, $3; failed = 1; next }
    {
        change = 100 * ($3 / kept[$1, $2] - 1)
        verdict = change > allowed ? "too many" : change < -allowed ? "better: keep it with --update" : ""
        if (change > allowed) failed = 1
        printf "%-10s %-15s %9.4f  was %9.4f  %+6.2f %%  %s\n", $1, $2, $3, kept[$1, $2], change, verdict
    }
    END {
        if (compiler[1] != compiler[2]) {
            printf "The numbers were kept with %s; this is %s, so nothing follows from them.\n", compiler[1], compiler[2]
            exit 0
        }
        exit failed
    }' "$kept" now || status=1
exit $status
