#!/bin/sh
# Packs a static build (preset `static`) as a tree that works on a machine without
# LLVM: the tool, Clang's own headers, examples. CUDA input still needs a CUDA
# toolkit's headers and a C++ standard library's there.
# Usage: package-static.sh BUILD OUT      OUT ends in .tar.xz or .tar.zst
set -eu
if [ $# -ne 2 ]; then
  echo "usage: $0 BUILD OUT.tar.xz|OUT.tar.zst" >&2
  exit 3
fi
build=$1
out=$2
source=$(cd "$(dirname "$0")/.." && pwd)
clang=${EVO_CLANG:-$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")}
resources=$("$clang" -print-resource-dir)
version=$(basename "$resources")

if ldd "$build/bin/evo-opt" | grep -q 'libLLVM\|libMLIR\|libclang'; then
  echo "$0: $build/bin/evo-opt links LLVM's shared libraries, use the preset 'static'" >&2
  exit 1
fi
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
tree=$stage/evo-opt
mkdir -p "$tree/bin" "$tree/lib/clang/$version"
cp "$build/bin/evo-opt" "$tree/bin/"
if [ -x "$build/bin/evo-gpu-check" ]; then
  cp "$build/bin/evo-gpu-check" "$tree/bin/"
fi
# Only what device code can reach: the headers, not the runtime libraries.
cp -RL "$resources/include" "$tree/lib/clang/$version/"
cp -R "$source/examples" "$tree/"

# Times and owners do not count, so that equal contents give equal archives.
pack() {
  tar -C "$stage" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner \
    -cf - evo-opt
}
case $out in
*.tar.xz) pack | xz -9e -T1 >"$out" ;;
*.tar.zst) pack | zstd -q -19 --ultra --long=27 -f -o "$out" ;;
*)
  echo "$0: '$out' ends neither in .tar.xz nor in .tar.zst" >&2
  exit 3
  ;;
esac
du -h "$out"
