#!/usr/bin/env bash
# usage: check-tidy.sh CLANG_TIDY BUILD SOURCE [BASE]
#
# Runs clang-tidy with .clang-tidy on the sources below lib/ and tools/, one
# process a core: on all of them, or, with BASE (a commit or branch), on those that
# differ from where this branch left it, and on the source of each changed header's
# own name. Says which it has done, and fails if one has a finding.
set -euo pipefail
tidy=$1 build=$2 source=$3 base=${4:-}
cd "$source"

# What this build compiles: not lib/LLM/CurlAtRunTime.cpp, say.
sources() {
  sed -n "s|.*\"file\": \"$source/\(\(lib\|tools\)/.*\.cpp\)\".*|\1|p" \
    "$build/compile_commands.json" | sort -u
}
changed() {
  local fork file name
  fork=$(git merge-base "$base" HEAD)
  {
    git diff --name-only --diff-filter=d "$fork" -- lib include tools
    git ls-files -o --exclude-standard -- lib include tools
  } | while read -r file; do
    name=$(basename "$file")
    sources | grep -E "(^|/)${name%.*}\.cpp$" || true
  done | sort -u
}

if [ -n "$base" ]; then files=$(changed); else files=$(sources); fi
if [ -z "$files" ]; then
  echo "check-tidy: no source differs from $base"
  exit 0
fi
echo "check-tidy: $(wc -l <<<"$files") sources"

# A line for each, so that a long run shows where it is. What clang-tidy prints of
# warnings that it left out is no finding.
check_one() {
  if "$tidy" -quiet -p "$build" "$1" >"$2" 2>/dev/null; then
    echo "ok $1"
  else
    cat "$2"
    echo "FAILED $1"
    return 1
  fi
}
export tidy build
export -f check_one
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
xargs -d '\n' -P "$(nproc)" -I FILE \
  bash -c 'check_one "$1" "$2/$$"' - FILE "$scratch" <<<"$files"
