#!/bin/sh
# Fills the corpus with the profiles among the fixtures: fuzz/seed.sh
set -eu
cd "$(dirname "$0")"
mkdir -p corpus/reports
find ../fixtures -type f -size -16k ! -path '*/goldens/*' ! -path '*/sources/*' ! -path '*/expected/*' |
    grep -vE '\.(md|json|sh|c|h|cpp|hpp|rs|php|py|toml)$|/LICENSE$' |
    while read -r file; do
        cp "$file" "corpus/reports/$(echo "$file" | sed 's|^\.\./fixtures/||; s|/|-|g')"
    done
ls corpus/reports | wc -l
mkdir -p corpus/details
printf '%s\n\0%s' 'fl=a.c
fn=0x1000
0x1000 7 5
+4 8 2
fn=g
0x2000 9 1' '{"bits":64,"files":["a.c","/b.h"],"functions":[["f","_f",1],["h","",0]],"generated":[1],"chains":[[1,0,0,7],[1,1,1,3]],"runs":[[4096,4,2],[4092,0,-1]],"names":[[4096,"main"]],"symbols":[],"pieces":[]}' > corpus/details/one
# Small programs in the forms that compilers and linkers make; without a compiler there are none.
if command -v cc > /dev/null; then
    mkdir -p corpus/objects
    program='static inline int f(int x) { return x * 3; } int main(int c, char **v) { int s = 0; for (int i = 0; i < c; i++) s += f(i); return s + !v; }'
    for options in '-g -O2' '-g -O2 -gdwarf-4' '-g1 -no-pie' '-O2' '-g -gz' '-g -shared -fPIC' '-g -c'; do
        printf '%s\n' "$program" | cc -x c - $options -o "corpus/objects/$(echo "$options" | tr -d ' =')" || true
    done
    ls corpus/objects | wc -l
fi
