#!/usr/bin/env bash
# Races cgannotate with what else reads profiles on this machine: callgrind_annotate, cgview (KCachegrind's command-line
# viewer), `wc -l`, and the loop that only adds up the integers of the file (integer_loop.rs).
#
#   benches/race.sh                         a bundled profile, repeated up to 50 MB
#   benches/race.sh callgrind.out.1234      a profile as it is
#   benches/race.sh -s 1G callgrind.out.1   the same, repeated as further parts up to 1 GB
#   benches/race.sh -s 50M synthetic        one part of made-up functions
#
#   -n RUNS   how often each runs (7); the runs are interleaved, and the median counts
#   -l SEC    who needs more than so many seconds runs only once (10)
#   -p        also read from a pipe
#   -a        every command, on one thread and on all
#
# Prints the seconds by the clock (median, and the spread of the runs in percent of it), those of all processors together,
# MB/s of the profile, peak memory where GNU time is installed, and both times as multiples of the integer loop's. On a
# machine that does other work only the processors' time means anything. Two loops at once, each over half of the profile,
# show what two processors are worth here.
# What is not installed is left out; the variables CGANNOTATE, CALLGRIND_ANNOTATE and CGVIEW name other programs.
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fixture=$root/fixtures/shapes/shapes.instr-jumps.out

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }
die() { echo "race.sh: $*" >&2; exit 2; }
runs=7 limit=10 size='' pipe=no all=no
while getopts n:l:s:pah option; do
    case $option in
        n) runs=$OPTARG ;;
        l) limit=$OPTARG ;;
        s) size=$OPTARG ;;
        p) pipe=yes ;;
        a) all=yes ;;
        h) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[[ $runs =~ ^[1-9][0-9]*$ && $limit =~ ^[0-9]+$ && $# -le 1 ]] || { usage >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# --- the programs

ours=${CGANNOTATE:-${CARGO_TARGET_DIR:-$root/target}/release/cgannotate}
if [[ -z ${CGANNOTATE:-} ]]; then
    (cd "$root" && cargo build --release --quiet --bin cgannotate)
fi
[[ -x $ours ]] || die "$ours is not there"
for tool in integer_loop scale; do
    rustc --edition 2024 -O -o "$work/$tool" "$root/benches/$tool.rs"
done
one_thread=()
if [[ $("$ours" --help 2>&1) == *--threads* ]]; then one_thread=(--threads=1); fi
original=$(command -v "${CALLGRIND_ANNOTATE:-callgrind_annotate}" || true)
cgview=$(command -v "${CGVIEW:-cgview}" || true)
gnu_time=
for candidate in "$(type -P time || true)" "$(type -P gtime || true)"; do
    if [[ -n $candidate ]] && "$candidate" -f %M -o "$work/memory" true 2>/dev/null; then
        gnu_time=$candidate
        break
    fi
done

# --- the profile

profile=${1:-$fixture}
if [[ $# -eq 0 && -z $size ]]; then size=50M; fi
if [[ $profile == synthetic ]]; then
    title="made-up functions"
    "$work/scale" synthetic "${size:-50M}" > "$work/profile"
    profile=$work/profile
elif [[ -n $size ]]; then
    title="$profile, repeated"
    "$work/scale" parts "$profile" "$size" > "$work/profile"
    profile=$work/profile
else
    title=$profile
fi
bytes=$(($(wc -c < "$profile")))

# --- the racers: a name, where the profile comes from, a command

names=() inputs=() commands=()
racer() {
    names+=("$1") inputs+=("$2")
    shift 2
    commands+=("$(printf '%q ' "$@")")
}
racer 'integer loop' file "$work/integer_loop" "$profile"
head -c $((bytes / 2)) "$profile" > "$work/half.1"
tail -c +$((bytes / 2 + 1)) "$profile" > "$work/half.2"
racer 'two loops, half each' file bash -c '"$0" "$1" & "$0" "$2" & wait' "$work/integer_loop" "$work/half.1" "$work/half.2"
racer 'cgannotate, one thread' file "$ours" --auto=no "${one_thread[@]}" "$profile"
if [[ ${#one_thread[@]} -gt 0 ]]; then racer 'cgannotate' file "$ours" --auto=no "$profile"; fi
if [[ $pipe == yes ]]; then racer 'cgannotate, from a pipe' pipe "$ours" --auto=no -; fi
racer 'cgannotate --auto=yes, one thread' file "$ours" --auto=yes "${one_thread[@]}" "$profile"
if [[ ${#one_thread[@]} -gt 0 ]]; then racer 'cgannotate --auto=yes' file "$ours" --auto=yes "$profile"; fi
racer 'cgannotate --tree=both, one thread' file "$ours" --inclusive=yes --tree=both --auto=no "${one_thread[@]}" "$profile"
if [[ $all == yes ]]; then
    event=$(awk '$1 == "events:" { print $2; exit }' "$profile")
    # The name of a command, and its arguments; those that read one profile also have a number of threads.
    of_one=(
        "--format=json" "--format=csv --threshold=100" "--format=markdown" "--format=html" "--by=file" "--by=object"
        "--by=class" "--by=line" "--inclusive=yes --auto=no" "--own --auto=no"
    )
    for arguments in "${of_one[@]}"; do
        read -ra words <<< "$arguments"
        racer "$arguments, one thread" file "$ours" "${words[@]}" "${one_thread[@]}" "$profile"
        if [[ ${#one_thread[@]} -gt 0 ]]; then racer "$arguments" file "$ours" "${words[@]}" "$profile"; fi
    done
    racer '--zoom of the dearest' file "$ours" --auto=no --zoom=. "$profile"
    racer 'diff with itself' file "$ours" diff "$profile" "$profile"
    racer 'check of the total' file "$ours" check "$profile" --limit "total.$event <= 900T"
    racer 'merge' file "$ours" merge "$profile" -o "$work/out.merge"
    for form in callgrind webgrind folded dot speedscope pprof; do
        racer "convert --to $form" file "$ours" convert "$profile" --to "$form" -o "$work/out.$form"
    done
fi
racer 'wc -l' file wc -l "$profile"
if [[ -n $cgview ]]; then racer 'cgview' file "$cgview" "$profile"; fi
if [[ -n $original ]]; then racer 'callgrind_annotate --auto=no' file "$original" --auto=no "$profile"; fi

# --- the race

now() { # microseconds; EPOCHREALTIME came with bash 5
    if [[ -n ${EPOCHREALTIME:-} ]]; then
        echo "${EPOCHREALTIME//[.,]/}"
    else
        echo $(($(date +%s%N) / 1000))
    fi
}

run() { # one run of racer $1: microseconds by the clock and of all processors, and kilobytes or -
    local status=0 before after
    local -a command
    eval "command=(${commands[$1]})"
    if [[ -n $gnu_time ]]; then command=("$gnu_time" -q -f %M -o "$work/memory" "${command[@]}"); fi
    local TIMEFORMAT='%U %S'
    before=$(now)
    if [[ ${inputs[$1]} == pipe ]]; then
        { time "${command[@]}" < <(cat "$profile") > /dev/null 2> "$work/errors" || status=$?; } 2> "$work/processors"
    else
        { time "${command[@]}" < /dev/null > /dev/null 2> "$work/errors" || status=$?; } 2> "$work/processors"
    fi
    after=$(now)
    if [[ $status -ne 0 ]]; then
        echo "race.sh: ${names[$1]}: exit status $status" >&2
        head -n 5 "$work/errors" >&2
        touch "$work/failed.$1"
        return
    fi
    local processors memory=-
    processors=$(awk '{ printf "%d", 1e6 * ($1 + $2) }' "$work/processors")
    if [[ -n $gnu_time ]]; then memory=$(tail -n 1 "$work/memory"); fi
    echo "$((after - before)) $processors $memory" >> "$work/runs.$1"
}

median() { # of column $2 of file $1
    sort -n -k "$2,$2" "$1" | awk -v column="$2" '{ v[NR] = $column } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

slow() { # is one run of racer $1 more than enough?
    awk -v limit="$limit" '$1 > limit * 1e6 { slow = 1 } END { exit !slow }' "$work/runs.$1"
}

cat "$profile" > /dev/null # once, so that the first racer finds it in memory too
for ((turn = 1; turn <= runs; turn++)); do
    for ((i = 0; i < ${#names[@]}; i++)); do
        if [[ -e $work/failed.$i ]]; then continue; fi
        if ((turn > 1)) && slow "$i"; then continue; fi
        run "$i"
    done
done

# --- the result

cores=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo '?')
echo "$title: $((bytes / 1000000)) MB, $(grep -ac '^part:' "$profile" || true) parts; $cores cores; medians of $runs runs"
[[ -n $gnu_time ]] || echo "(GNU time is not installed: no peak memory)"
printf '\n%-36s %9s %7s %9s %8s %9s %8s %10s\n' '' seconds spread CPU MB/s 'peak MB' '× loop' 'CPU × loop'
loop='' loop_cpu=''
for ((i = 0; i < ${#names[@]}; i++)); do
    if [[ -e $work/failed.$i ]]; then
        printf '%-36s %9s\n' "${names[$i]}" failed
        continue
    fi
    time=$(median "$work/runs.$i" 1)
    cpu=$(median "$work/runs.$i" 2)
    memory=$(median "$work/runs.$i" 3)
    if [[ ${names[$i]} == 'integer loop' ]]; then loop=$time loop_cpu=$cpu; fi
    # The spread needs all runs, the ratios only the medians.
    awk -v name="${names[$i]}" -v time="$time" -v memory="$memory" -v known="$gnu_time" -v loop="$loop" -v cpu="$cpu" -v loop_cpu="$loop_cpu" -v bytes="$bytes" '
        NR == 1 || $1 < least { least = $1 }
        $1 > most { most = $1 }
        END {
            spread = NR > 1 ? sprintf("%.0f %%", 100 * (most - least) / time) : "1 run"
            peak = known != "" ? sprintf("%.1f", memory * 1024 / 1e6) : "-"
            of_loop = loop != "" ? sprintf("%.2f", time / loop) : "-"
            cpu_of_loop = loop_cpu > 0 ? sprintf("%.2f", cpu / loop_cpu) : "-"
            printf "%-36s %9.3f %7s %9.3f %8.0f %9s %7s %9s\n", name, time / 1e6, spread, cpu / 1e6, bytes / time, peak,
                of_loop, cpu_of_loop
        }' "$work/runs.$i"
done
if compgen -G "$work/failed.*" > /dev/null; then exit 1; fi
