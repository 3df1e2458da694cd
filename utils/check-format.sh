#!/bin/sh
# Whether all C++ sources of the tree are formatted as .clang-format says; names
# the lines that are not, and changes nothing.
#
# usage: check-format.sh CLANG_FORMAT ROOT [--fix]
#   --fix  format them instead
set -eu
if [ $# -lt 2 ]; then
  echo "usage: check-format.sh CLANG_FORMAT ROOT [--fix]" >&2
  exit 3
fi
program=$1
root=$2
mode="--dry-run -Werror"
if [ "${3:-}" = --fix ]; then mode=-i; fi

cd "$root"
list=$(for folder in include lib tools unittests benchmarks cmake; do
  if [ -d "$folder" ]; then
    find "$folder" -type f \( -name '*.cpp' -o -name '*.h' \) -not -path '*/Inputs/*'
  fi
done)
if [ -z "$list" ]; then
  echo "check-format: no sources below '$root'" >&2
  exit 3
fi
# shellcheck disable=SC2086 # one option a word
echo "$list" | xargs "$program" $mode
echo "check-format: $(echo "$list" | wc -l) files"
