// The sections of the page. Each writes nothing where it has nothing to show.
#ifndef EVO_LIB_REPORT_SECTIONS_H
#define EVO_LIB_REPORT_SECTIONS_H

#include "Markup.h"
#include "evo/Report/Search.h"

namespace evo::report {

void writeProgress(Markup &markup, const Search &search);
void writeRoofline(Markup &markup, const Search &search);
void writeWinner(Markup &markup, const Search &search);
/// The winner's lines against those of the input.
void writeDifference(Markup &markup, const Search &search);
/// All candidates, those made from another one below it.
void writeLineage(Markup &markup, const Search &search);
void writeFailures(Markup &markup, const Search &search);
void writeCosts(Markup &markup, const Search &search);

/// The sheet, which is all that the page's policy lets style anything.
extern const llvm::StringLiteral styleSheet;

/// The time that a candidate is compared by, and what it is.
std::optional<double> shownTime(const Search &search,
                                const Candidate &candidate);

/// With its article: "an H200".
std::string machineOf(const Search &search);

/// A bar of a share of the widest one.
void writeBar(Markup &markup, double share, std::string style);

} // namespace evo::report

#endif
