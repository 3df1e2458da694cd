// A search as one HTML file that needs nothing beside itself: no script, no
// font, no request. What it shows of the search is escaped.
#ifndef EVO_REPORT_PAGE_H
#define EVO_REPORT_PAGE_H

#include "evo/Report/Search.h"

namespace evo::report {

/// `now` is when the search was read, for readers: "2026-05-31 12:00 UTC".
std::string makePage(const Search &search, llvm::StringRef now);

} // namespace evo::report

#endif
