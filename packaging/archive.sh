#!/bin/sh
# Packs what was built for a target as `cargo binstall` and people take it: NAME-VERSION-TARGET.tgz, with its SHA-256 beside it.
#
#     packaging/archive.sh target/x86_64-unknown-linux-gnu/release/cgannotate 0.1.0 x86_64-unknown-linux-gnu DIR
#
# The program must run on this machine, because it writes its own manual page and completions.
set -eu
program=$1 version=$2 target=$3 folder=$4
name=cgannotate-$version-$target
here=$(dirname "$0")
mkdir -p "$folder/$name"
"$here/extras.sh" "$program" "$folder/$name"
cp "$program" "$here/../LICENSE" "$here/../README.md" "$folder/$name/"
tar -C "$folder" -czf "$folder/$name.tgz" "$name"
rm -r "${folder:?}/$name"
cd "$folder"
{ command -v sha256sum >/dev/null && sha256sum "$name.tgz" || shasum -a 256 "$name.tgz"; } > "$name.tgz.sha256"
