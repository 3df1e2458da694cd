// Whether a text is one program for every compiler and at every time: the code
// that is judged is Clang's, and others may build the same text.
#ifndef EVO_LIB_FRONTEND_CUDA_COMPILERMACROS_H
#define EVO_LIB_FRONTEND_CUDA_COMPILERMACROS_H

#include "OwnText.h"
#include "evo/Frontend/CUDA.h"
#include <optional>

namespace evo {

/// What code hangs on that differs from compiler to compiler.
struct CompilerChoice {
  std::string name;      ///< "__clang__", or a pragma's words
  unsigned line, column; ///< where it is asked for, in the file's own lines
};

/// Who else may compile the text.
enum class OtherCompilers {
  All,  ///< any of CUDA C++, in any version and place and at any time
  NVRTC ///< that one
};

/// The first thing by which the code that `text` itself has (not that of its
/// headers) is another one for `others`. What only the host runs or what is
/// only printed, by `own`, is no code. Looks at texts that Clang accepts.
std::optional<CompilerChoice> findCompilerChoice(llvm::StringRef text,
                                                 llvm::StringRef fileName,
                                                 const CUDAOptions &options,
                                                 const OwnText &own,
                                                 OtherCompilers others);

} // namespace evo

#endif
