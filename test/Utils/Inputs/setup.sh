# usage: setup.sh EVO: what `EVO setup` would set up and build.
set -euo pipefail
source "$1"
set_up() { echo "set up"; }
build() { echo "build $*"; }
main setup
