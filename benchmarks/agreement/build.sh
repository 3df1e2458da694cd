#!/bin/sh
# What the interpreter runs comes through Clang, what a device runs through nvcc: CUDA's
# own reading of the same source.
# usage: build.sh LLVM CUDA FOLDER ARCH: the folders of both and of what generate.py wrote,
# and the architecture of the device
set -e
arch=${4:?"usage: build.sh LLVM CUDA FOLDER ARCH"}
"$1/bin/clang++" -x cuda --cuda-device-only --cuda-gpu-arch="$arch" --cuda-path="$2" -nocudalib \
  -O1 -S -emit-llvm -Wno-unknown-cuda-version "$3/operations.cu" -o "$3/operations.ll"
"$2/bin/nvcc" -w -arch="$arch" -cubin "$3/operations.cu" -o "$3/operations.cubin"
