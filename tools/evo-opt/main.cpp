// evo-opt: an mlir-opt when given flags, a tool with verbs when given one.
#include "evo/Driver/Driver.h"

int main(int argc, char **argv) { return evo::runEvoOpt(argc, argv); }
