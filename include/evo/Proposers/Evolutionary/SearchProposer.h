// Our own search, without any model: points in spaces of knobs.
#ifndef EVO_PROPOSERS_EVOLUTIONARY_SEARCHPROPOSER_H
#define EVO_PROPOSERS_EVOLUTIONARY_SEARCHPROPOSER_H

#include "evo/Interfaces/Backends.h"

namespace evo {

/// The proposer "search": first every knob by itself, then mutation and
/// crossover of the best points so far, seeded.
std::unique_ptr<Proposer> createSearchProposer();

} // namespace evo

#endif
