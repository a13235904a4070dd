#!/bin/sh
# Writes the manual page and the completions of shells that packages hold, from the program itself.
#
#     packaging/extras.sh target/release/cgannotate target/extras
set -eu
program=$1 folder=$2
mkdir -p "$folder"
"$program" --generate=man > "$folder/cgannotate.1"
"$program" --generate=bash > "$folder/cgannotate.bash"
"$program" --generate=zsh > "$folder/_cgannotate"
"$program" --generate=fish > "$folder/cgannotate.fish"
gzip --best --no-name --force "$folder/cgannotate.1"
