#!/usr/bin/env bash
# Tests `cgannotate lsp` and `cgannotate mcp` with clients of other projects, and compiles the
# extension of VS Code. Prints what it skips because a program is missing.
#
#     tests/editors/run.sh target/debug/cgannotate
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
skip() { printf 'skipped: %s\n' "$*"; }
has() { command -v "$1" >/dev/null; }

if has nvim; then
  recorded=()
  if has valgrind && has gcc; then
    mkdir -p "$folder/recorded/.git"
    cp fixtures/own/requests.c "$folder/recorded"
    (cd "$folder/recorded" && gcc -g -o requests requests.c && "$program" record -- ./requests >record.log 2>&1) ||
      { cat "$folder/recorded/record.log"; exit 1; }
    recorded=("RECORDED=$folder/recorded")
  else
    skip 'costs that follow edited lines, because valgrind or gcc is missing'
  fi
  env "${recorded[@]}" PROGRAM="$program" XDG_STATE_HOME="$folder" XDG_CACHE_HOME="$folder" \
    timeout 60 nvim --headless --clean -c 'luafile tests/editors/nvim.lua'
else
  skip 'Neovim, because it is missing'
fi

clients=target/clients
pinned=(mcp==2.3.0 pygls==2.1.1 lsprotocol==2025.0.0)
if [ "$(cat $clients/pinned 2>/dev/null)" != "${pinned[*]}" ]; then
  rm -rf $clients
  mkdir -p target
  if python3 -m venv $clients && $clients/bin/pip install --quiet --disable-pip-version-check "${pinned[@]}"; then
    echo "${pinned[*]}" >$clients/pinned
  fi
fi 2>"$folder/pip.log" >&2
if [ -e $clients/pinned ]; then
  timeout 60 $clients/bin/python tests/editors/client.py "$program"
  timeout 60 $clients/bin/python tests/agents/client.py "$program"
else
  skip "the clients in Python, because they cannot be installed: $(grep . "$folder/pip.log" | tail -n 1)"
fi

if has npm && has node; then
  mkdir -p target/vscode
  cp -r editors/vscode/{package.json,package-lock.json,tsconfig.json,src} target/vscode
  if (cd target/vscode && npm ci --silent --no-audit --no-fund --ignore-scripts) >"$folder/npm.log" 2>&1; then
    (cd target/vscode && node_modules/.bin/tsc --noEmit)
    echo 'editors/vscode: compiled'
  else
    skip "the extension of VS Code, because npm cannot install: $(grep . "$folder/npm.log" | tail -n 1)"
  fi
else
  skip 'the extension of VS Code, because npm is missing'
fi
