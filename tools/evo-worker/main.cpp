// The worker as an executable of its own, for hosts that are not evo-opt: the
// plugin and the C API start it.
#include "evo/Driver/Driver.h"

int main(int argc, char **argv) { return evo::runEvoWorker(argc, argv); }
