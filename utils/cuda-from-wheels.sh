#!/bin/sh
# Builds a CUDA toolkit folder out of the vendor's Python wheels, for machines
# where no toolkit is installed: Clang's front end then takes
# `--cuda-path=DEST`, and the toolkit search of this project finds headers,
# libdevice, ptxas, nvJitLink and NVRTC under DEST. Wheels are downloaded with
# pip (whatever index pip is configured with) and only the members needed are
# kept: the compiler driver, cicc, and the host libraries are dropped, so that
# the folder is about 300 MB rather than 1 GB.
#
# usage: cuda-from-wheels.sh [--no-nvrtc] [--with-curand] DEST
#   --no-nvrtc     leave NVRTC out (the largest download; 90 MB)
#   --with-curand  take the real cuRAND headers (a 60 MB download). Without it
#                  DEST has an empty `curand_mtgp32_kernel.h`, which Clang's
#                  CUDA wrapper includes whether or not a kernel needs it.
# A second run with the same options changes nothing. PYTHON names the
# interpreter whose pip is used (default python3).
set -eu

nvrtc=1
curand=0
dest=
for arg in "$@"; do
  case "$arg" in
  --no-nvrtc) nvrtc=0 ;;
  --with-curand) curand=1 ;;
  -h | --help)
    sed -n '2,/^set -eu/p' "$0" | sed -n 's/^# \{0,1\}//p'
    exit 0
    ;;
  -*)
    echo "cuda-from-wheels: unknown option '$arg'" >&2
    exit 3
    ;;
  *)
    if [ -n "$dest" ]; then
      echo "cuda-from-wheels: more than one destination" >&2
      exit 3
    fi
    dest=$arg
    ;;
  esac
done
if [ -z "$dest" ]; then
  echo "usage: cuda-from-wheels.sh [--no-nvrtc] [--with-curand] DEST" >&2
  exit 3
fi

python=${PYTHON:-python3}
release=13.0

# One line per wheel: distribution==version, then the patterns of the members
# kept (shell patterns below the wheel's nvidia/cu13/ folder).
wheels() {
  echo "nvidia-cuda-nvcc==$release.* bin/ptxas"
  echo "nvidia-nvvm==$release.* nvvm/libdevice/*"
  echo "nvidia-cuda-runtime==$release.* include/*"
  echo "nvidia-cuda-crt==$release.* include/*"
  echo "nvidia-cuda-cccl==$release.* include/*"
  echo "nvidia-nvjitlink==$release.* include/* lib/libnvJitLink.so.*"
  if [ $nvrtc = 1 ]; then
    echo "nvidia-cuda-nvrtc==$release.* include/* lib/libnvrtc.so.* lib/libnvrtc-builtins.so.*"
  fi
  if [ $curand = 1 ]; then
    echo "nvidia-curand==10.4.0.* include/*"
  fi
}

# What the finished folder was made from, so that a rerun can tell.
wanted=$(wheels)
if [ -f "$dest/.wheels" ] && [ "$(cat "$dest/.wheels")" = "$wanted" ]; then
  echo "cuda-from-wheels: $dest is complete"
  exit 0
fi

"$python" -m pip --version >/dev/null || {
  echo "cuda-from-wheels: no pip for '$python'" >&2
  exit 4
}

mkdir -p "$dest"
rm -f "$dest/.wheels"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

echo "$wanted" | while read -r requirement members; do
  echo "cuda-from-wheels: $requirement"
  rm -rf "$work"/*
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps \
    --only-binary=:all: --dest "$work" "$requirement"
  # shellcheck disable=SC2086 # patterns are passed on word by word
  set -f
  "$python" - "$work" "$dest" $members <<'EOF'
import fnmatch, glob, os, shutil, sys, zipfile
work, dest, patterns = sys.argv[1], sys.argv[2], sys.argv[3:]
root = "nvidia/cu13/"
(wheel,) = glob.glob(os.path.join(work, "*.whl"))
unused = set(patterns)
with zipfile.ZipFile(wheel) as archive:
    for info in archive.infolist():
        if info.is_dir() or not info.filename.startswith(root):
            continue
        relative = info.filename[len(root):]
        hits = [p for p in patterns if fnmatch.fnmatchcase(relative, p)]
        if not hits or ".." in relative.split("/"):
            continue
        unused -= set(hits)
        path = os.path.join(dest, relative)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # Written aside and renamed: a reader never sees half a file.
        with archive.open(info) as source, open(path + ".part", "wb") as sink:
            shutil.copyfileobj(source, sink)
        os.chmod(path + ".part", 0o755 if relative.startswith("bin/") else 0o644)
        os.replace(path + ".part", path)
unused.discard("include/*")  # some wheels have libraries only
if unused:
    sys.exit("cuda-from-wheels: %s lacks %s" % (os.path.basename(wheel), ", ".join(sorted(unused))))
EOF
  set +f
done

# The names that a toolkit folder is searched for.
link() { ln -sfn "$1" "$dest/$2"; }
mkdir -p "$dest/bin" "$dest/lib" "$dest/include"
link lib lib64
link cccl/nv include/nv
link libnvJitLink.so.13 lib/libnvJitLink.so
if [ $nvrtc = 1 ]; then link libnvrtc.so.13 lib/libnvrtc.so; fi
if [ $curand = 0 ] && [ ! -s "$dest/include/curand_kernel.h" ]; then
  echo "// Stands for the cuRAND header that Clang's CUDA wrapper includes." \
    >"$dest/include/curand_mtgp32_kernel.h"
fi

version=$("$dest/bin/ptxas" --version | sed -n 's/.*release [0-9.]*, V\([0-9.]*\).*/\1/p')
if [ -z "$version" ]; then
  echo "cuda-from-wheels: ptxas does not run" >&2
  exit 4
fi
printf '{\n  "cuda" : {\n    "name" : "CUDA SDK",\n    "version" : "%s"\n  }\n}\n' \
  "$version" >"$dest/version.json"
echo "$wanted" >"$dest/.wheels"
echo "cuda-from-wheels: $dest holds CUDA $version"
