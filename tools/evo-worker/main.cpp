// The worker as an executable of its own, for hosts that are not evo-opt: the
// plugin, and compilers that link libEvo.
#include "evo/Driver/Driver.h"

int main(int argc, char **argv) { return evo::runEvoWorker(argc, argv); }
