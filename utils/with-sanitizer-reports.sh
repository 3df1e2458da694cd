#!/bin/sh
# usage: with-sanitizer-reports.sh FOLDER COMMAND...
#
# Runs the tests of a sanitizer build. Sanitizers write to FOLDER (test/lit.cfg.py
# tells them to): the process of a candidate has no terminal, and its death is only
# a verdict, so a report there would pass unseen. Fails if the command does, or if
# there is a report.
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder" || exit 1
"$@"
status=$?
for report in "$folder"/*; do
  [ -e "$report" ] || continue
  echo "=== $report"
  head -n 60 "$report"
  status=1
done
exit $status
