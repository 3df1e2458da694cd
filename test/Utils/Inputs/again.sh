# usage: again.sh EVO FOLDER: run_tests of the script EVO in FOLDER, with a ninja of ours.
set -euo pipefail
source "$1"
cd "$2"
packages=(bash)
code=PASS tidy=0 threads=0
configure() { echo "configure $*"; }
ninja() {
  echo "ninja $*"
  case "${*: -1}" in
  check-tidy) return $tidy ;;
  check-threads) return $threads ;;
  esac
  echo "{\"tests\": [{\"code\": \"$code\"}]}" >build/release/test-results.json
  [ $code = PASS ]
}
mkdir -p build/release/bin
echo tool >build/release/bin/tool
chmod +x build/release/bin/tool
echo text >source

echo first && run_tests
echo "nothing changed" && run_tests
echo more >>source
echo "a source changed, and a test fails" && code=FAIL
status=0 && run_tests || status=$?
echo "status $status"
echo "the failure is not remembered" && code=PASS && run_tests
echo more >>source
echo "clang-tidy fails" && tidy=1
status=0 && run_tests || status=$?
echo "status $status"
echo "it has to pass before anything is remembered" && tidy=0 && run_tests
echo more >>source
echo "threads race" && threads=1
status=0 && run_tests || status=$?
echo "status $status"
echo "the race is not remembered" && threads=0 && run_tests
echo other >build/release/bin/tool
echo "what was built changed" && run_tests
echo "nothing changed" && run_tests
echo "a rule is violated" && touch violated
status=0 && run_tests || status=$?
echo "status $status"
