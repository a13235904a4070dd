#!/usr/bin/env bash
# How often the rule for steps is wrong on real programs that did not change, and how often it sees what is there.
#
#   benches/histories.sh [FOLDER] [RUNS]
#
# Records so many runs of four programs (120) below the folder (target/histories), what is there already excepted, and prints
# the table of docs/trend.md: git status, perl with simulated caches and random hash seeds, python with random hash seeds,
# and a Rust program whose threads race for a lock and a channel. 120 runs of all four take many minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "${1:-target/histories}")
runs=${2:-120}
mkdir -p "$folder"/{git,perl,python,threads}

cat > "$folder/words.rs" <<'RUST'
use std::collections::HashMap;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn main() {
    let line = |n: u32| format!("word{} of {} ", n.wrapping_mul(2654435761) % 700, n % 97);
    let text: Arc<String> = Arc::new((0..1500).map(line).collect());
    let sums: Arc<Mutex<HashMap<String, u64>>> = Arc::default();
    let (send, receive) = mpsc::channel();
    let work = |_| {
        let (text, sums, send) = (text.clone(), sums.clone(), send.clone());
        thread::spawn(move || {
            let mut own: HashMap<&str, u64> = HashMap::new();
            for word in words(&text) {
                *own.entry(word).or_default() += 1;
            }
            for (word, count) in own {
                *sums.lock().unwrap().entry(word.to_owned()).or_default() += count;
                if count > 20 {
                    send.send(count).unwrap();
                }
            }
        })
    };
    let workers: Vec<_> = (0..4).map(work).collect();
    drop(send);
    let many: u64 = receive.iter().sum();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    let mut all: Vec<_> = sums.lock().unwrap().iter().map(|(word, count)| (*count, word.clone())).collect();
    all.sort();
    println!("{} {many} {:?}", all.len(), all.last());
}
RUST
[ -e "$folder/words" ] || rustc -O -g --edition 2024 "$folder/words.rs" -o "$folder/words"

if [ ! -e "$folder/repository" ]; then
  git init --quiet "$folder/repository"
  commit() { git -C "$folder/repository" -c user.name=a -c user.email=a@example.com commit --quiet -am "$1"; }
  for file in $(seq 60); do echo "file $file" > "$folder/repository/f$file"; done
  git -C "$folder/repository" add .
  commit one
  for file in $(seq 5); do
    echo "more" >> "$folder/repository/f$file"
    commit "change $file"
  done
  # The first status after a commit writes the index, and costs more than twice as much.
  git -C "$folder/repository" status > "$folder/status"
fi

# A shell script of the same name records nothing but the shell.
python=$(python3 -c 'import sys; print(sys.executable)')
hashes='my %h; $h{"k".($_*7%501)}+=$_ for 1..3000; my @k=sort {$h{$a}<=>$h{$b}||$a cmp $b} keys %h;
  my $s=join ",",map {"$_=$h{$_}"} keys %h; print length($s)," $k[0]\n"'
json='import json
d = {"k%d" % i: {"a": i, "b": str(i)} for i in range(300)}
t = json.dumps(d)
print(len(json.loads(t)), len({w for w in t.split(",")}))'

record() {
  local file=$1
  shift
  [ -s "$file" ] || valgrind --quiet --tool=callgrind --callgrind-out-file="$file" "$@" > "$folder/output"
}
for run in $(seq -w 1 "$runs"); do
  record "$folder/threads/run-$run" "$folder/words"
  record "$folder/git/run-$run" git -C "$folder/repository" status
  record "$folder/perl/run-$run" --cache-sim=yes perl -e "$hashes"
  PYTHONHASHSEED=random record "$folder/python/run-$run" "$python" -S -c "$json"
done
cargo run --quiet --release --example steps -- "$folder"/{git,perl,python,threads}
