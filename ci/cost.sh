#!/bin/sh
# What a change costs, for jobs of GitHub and GitLab (action.yml and ci/gitlab.yml run this): takes or records profiles,
# holds them to limits relative to the last run of the main branch, and says what changed and why.
#
#   COST_RUN       a command line that is recorded under Valgrind; empty where earlier steps wrote profiles
#   COST_PROFILES  the profiles, as patterns; of what is recorded they are known [callgrind.out.*]
#   COST_AGAIN     profiles of a second run of the same, as patterns: a limit on noise is exceeded only if both runs are
#                  dearer; what is recorded by COST_RUN is recorded again if it comes to that
#   COST_LIMITS    limits, one a line; those of cgannotate.toml hold as well. Those on noise (total.Ir <= noise) are about
#                  all runs of the history, relative ones (total.Ir <= +1%) about the last
#   COST_HISTORY   a folder that is kept between jobs: one profile a run of the main branch [cost-history]
#   COST_KEEP      `yes` on the main branch: adds this run to the history, whatever the limits say
#   COST_KEPT      how many runs the history has at most [50]
#   COST_COMMIT    the commit, for names
#   COST_OUT       the folder of the results [cost]: profile, comment.md, page.html, limits.xml
#
# Ends with the status of `cgannotate check`: 0 all limits are kept, 3 one is exceeded, 4 something could not be compared.
# Without a limit, or before the first run of the main branch, nothing is checked.
set -eu

out=${COST_OUT:-cost}
history=${COST_HISTORY:-cost-history}
mkdir -p "$out" "$history"

# Records COST_RUN and merges what it wrote into a file.
record() {
  to=$1
  rm -f "$out"/recorded.*
  eval "set -- $COST_RUN"
  cgannotate record --output "$out/recorded" --label "${COST_COMMIT:-run}" -- "$@"
  set --
  for file in "$out"/recorded.*; do
    # The file of a forked process holds what its parent had cost.
    case $file in *.forked) ;; *) set -- "$@" "$file" ;; esac
  done
  cgannotate merge "$@" -o "$to"
}

rm -f "$out/again"
if [ -n "${COST_RUN:-}" ]; then
  record "$out/profile"
else
  # Patterns, and so without quotation marks.
  cgannotate merge ${COST_PROFILES:-callgrind.out.*} -o "$out/profile"
  if [ -n "${COST_AGAIN:-}" ]; then cgannotate merge $COST_AGAIN -o "$out/again"; fi
fi

# Names begin with a number that grows, so that the last is the newest.
last=
for run in "$history"/*; do
  if [ -f "$run" ]; then last=$run; fi
done

status=0
: > "$out/comment.md"
if [ -n "$last" ]; then
  rm -f "$out/limits.md"
  set -- "$out/profile" --baseline "$last" --report text --report "junit=$out/limits.xml" --report "markdown=$out/limits.md"
  if [ -n "${GITHUB_ACTIONS:-}" ]; then set -- "$@" --report github; fi
  checked=no
  if [ -f cgannotate.toml ]; then checked=yes; fi
  while IFS= read -r limit; do
    if [ -n "$limit" ]; then
      set -- "$@" --limit "$limit"
      checked=yes
    fi
  done <<END
${COST_LIMITS:-}
END
  all=$(printf '%s\n' "${COST_LIMITS:-}"; if [ -f cgannotate.toml ]; then sed 's/^[[:space:]]*#.*//' cgannotate.toml; fi)
  if printf '%s\n' "$all" | grep -Eq '(<=|&)[[:space:]]*noise'; then
    set -- "$@" --history "$history"
    if [ -f "$out/again" ]; then set -- "$@" --again "$out/again"; fi
  fi
  if [ "$checked" = yes ]; then
    cgannotate check "$@" || status=$?
    if [ -n "${COST_RUN:-}" ] && grep -q '^| unconfirmed |' "$out/limits.md" 2>/dev/null; then
      echo "more expensive than the runs before it: recorded again, to see whether that is noise"
      record "$out/again"
      status=0
      cgannotate check "$@" --again "$out/again" || status=$?
    fi
    if [ -f "$out/limits.md" ]; then cat "$out/limits.md" >> "$out/comment.md"; fi
  else
    echo "no limits: nothing is checked"
  fi
  cgannotate diff "$last" "$out/profile" --format=markdown >> "$out/comment.md"
  cgannotate diff "$last" "$out/profile" --format=html -o "$out/page.html"
else
  echo "no run of the main branch is known yet: nothing is compared"
  cgannotate "$out/profile" --format=markdown >> "$out/comment.md"
  cgannotate "$out/profile" --format=html -o "$out/page.html"
fi

if [ "${COST_KEEP:-}" = yes ]; then
  number=0
  if [ -n "$last" ]; then
    number=${last##*/}
    number=${number%%-*}
    # Without its zeros, which would make it octal.
    number=$(printf '%s' "$number" | sed 's/^0*//')
  fi
  cp "$out/profile" "$history/$(printf '%06d' $((${number:-0} + 1)))-${COST_COMMIT:-run}"
  set -- "$history"/*
  while [ $# -gt "${COST_KEPT:-50}" ]; do
    rm "$1"
    shift
  done
fi
exit "$status"
