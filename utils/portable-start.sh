#!/bin/sh
# bin/TOOL of the portable package: starts ../libexec/TOOL, or says in one line what this
# machine lacks of what that needs. A loader's own words name neither the tool nor a remedy.
self=$(readlink -f "$0")
tool=${self##*/}
program=${self%/bin/*}/libexec/$tool

lacks() {
  echo "$tool: error: this machine lacks $1" >&2
  exit 4
}

case $(uname -sm) in
"Linux x86_64") ;;
*) lacks "a Linux on x86-64, which this package is for: it is $(uname -sm)" ;;
esac
[ -x "$program" ] || lacks "'$program': unpack the whole package"

# The loader is asked, so that what is checked here is what is linked.
if ! said=$(LD_TRACE_LOADED_OBJECTS=1 "$program" 2>&1); then
  # Without the loader, or with one that cannot go on for want of a version.
  case $said in
  *"version \`"*) ;;
  *) lacks "glibc, or it is of another kind: ${said##*"$program": }" ;;
  esac
fi
case $said in
*"version \`GLIBC_"*)
  needed=$(echo "$said" | sed -n 's/.*version `GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1)
  lacks "glibc $needed or later: it has $(getconf GNU_LIBC_VERSION)"
  ;;
*"version \`"*)
  lacks "a newer $(echo "$said" | sed -n 's/^[^:]*: *\([^:]*\): version `\([^'"'"']*\).*/\1, with \2/p' | head -n 1)"
  ;;
*"not found"*)
  # Word splitting makes one line of them.
  # shellcheck disable=SC2046
  lacks "$(echo $(echo "$said" | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p'))"
  ;;
esac
# The tool itself says what else is missing: a driver, parts of CUDA.
EVO_PORTABLE=1
export EVO_PORTABLE
exec "$program" "$@"
