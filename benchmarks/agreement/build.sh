#!/bin/sh
# What the interpreter runs comes through Clang, what a device runs through nvcc: CUDA's
# own reading of the same source.
# usage: build.sh LLVM CUDA FOLDER, the folders of both and of what generate.py wrote
set -e
"$1/bin/clang++" -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 --cuda-path="$2" -nocudalib \
  -O1 -S -emit-llvm -Wno-unknown-cuda-version "$3/operations.cu" -o "$3/operations.ll"
"$2/bin/nvcc" -w -arch=sm_90 -cubin "$3/operations.cu" -o "$3/operations.cubin"
