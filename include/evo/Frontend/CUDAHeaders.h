// Clang's CUDA wrapper headers, parsed once. They are the costliest part of the
// compilation of a small kernel, and the same for every candidate. The bytes
// are a precompiled header held in memory, which forks of the process share,
// and which a folder may keep for other processes.
#ifndef EVO_FRONTEND_CUDAHEADERS_H
#define EVO_FRONTEND_CUDAHEADERS_H

#include "evo/Frontend/CUDA.h"

namespace evo {

class CUDAHeaders {
public:
  /// Parses what every compilation with `options` starts with, without their
  /// macros and folders where they serve so. Null where that fails: a
  /// compilation without them then says why. If options name a cache directory
  /// they are read from there, or put there.
  static std::unique_ptr<CUDAHeaders> parse(const CUDAOptions &options);
  /// For one compilation: those of the cache. Null where it has none; they are
  /// put there when they are missed the second time, for making them takes
  /// longer than to compile without.
  static std::unique_ptr<CUDAHeaders> find(const CUDAOptions &options);
  /// Removes them from the cache: they were of no use, for Clang refuses those
  /// whose files have changed.
  void forget() const;

  /// Whether they stand for the same text under `other`: the same options, or
  /// macros that no header asks for and folders that none is looked for in
  /// vain in, beside none of either.
  bool serve(const CUDAOptions &other) const;
  llvm::StringRef getBytes() const { return bytes; }

private:
  CUDAOptions options;
  std::string bytes;
  /// What they ask for, each between two ends of lines: identifiers that the
  /// preprocessor came by, and files as they are spelled where they are
  /// included or asked for.
  std::string identifiers, files;

  /// Without macros and folders, which are one compilation's own.
  static CUDAOptions withoutParticulars(CUDAOptions options);
  static std::unique_ptr<CUDAHeaders> parseAnew(const CUDAOptions &options);
  static std::unique_ptr<CUDAHeaders> readCache(const CUDAOptions &options);
  void writeCache() const;
  static std::unique_ptr<CUDAHeaders> parseJust(const CUDAOptions &options);
  static std::unique_ptr<CUDAHeaders> findJust(const CUDAOptions &options);
};

} // namespace evo

#endif
