// Our own search, without any model: points in spaces of knobs.
#ifndef EVO_REWRITE_SEARCHPROPOSER_H
#define EVO_REWRITE_SEARCHPROPOSER_H

#include "evo/Search/Backends.h"

namespace evo {

/// The proposer "search": first every knob by itself, then mutation and
/// crossover of the best points so far, seeded.
std::unique_ptr<Proposer> createSearchProposer();

/// The genome `options`: a copy of the reference's launch plan with named
/// rewrites applied (see Rewrites.h).
std::unique_ptr<Materializer> createOptionsMaterializer();

} // namespace evo

#endif
