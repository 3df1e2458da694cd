#!/bin/sh
# Runs EvoTransformsTests of a build with ThreadSanitizer, then the test in it that has to
# race: without a report of that one, the silence of the others says nothing.
# usage: check-threads.sh EXECUTABLE
# Modules that are not instrumented are not left out as a whole: their pool starts the threads,
# and all that a thread does would go unseen with it.
here=$(cd "$(dirname "$0")" && pwd)
reported=66
TSAN_OPTIONS="exitcode=$reported suppressions=$here/tsan-suppressions.txt"
export TSAN_OPTIONS
"$1" || exit 1
"$1" --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_RaceInOneSession/AtOnce' \
  >/dev/null 2>&1
status=$?
if [ $status -ne $reported ]; then
  echo "check-threads: a race was not reported (status $status)" >&2
  exit 1
fi
echo "check-threads: no races but the one that has to be"
