# usage: setup.sh EVO [FOLDER]: what `EVO setup [FOLDER]` would set up, build and install.
set -euo pipefail
source "$1"
set_up() { echo "set up"; }
build() { echo "build $*"; }
quietly() { echo "run $*"; }
main setup "${@:2}"
