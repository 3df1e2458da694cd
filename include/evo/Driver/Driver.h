// The command line of evo-opt: an mlir-opt, and verbs for people.
#ifndef EVO_DRIVER_DRIVER_H
#define EVO_DRIVER_DRIVER_H

namespace evo {
/// Runs the whole tool; answers the exit code that docs/Contract.md lists.
int runEvoOpt(int argc, char **argv);
/// Runs the worker on standard input and output; takes the options of the CUDA
/// front end.
int runEvoWorker(int argc, char **argv);
} // namespace evo

#endif
