// What a machine lacks is said in one line, with what that means; a machine
// that lacks nothing is not spoken of.
#include "Driver/Machine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace evo;

namespace {

/// A folder with the given files, which is a toolkit.
cuda::FoundToolkit makeToolkit(llvm::ArrayRef<llvm::StringRef> files) {
  llvm::SmallString<128> folder;
  EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("toolkit", folder));
  for (llvm::StringRef file : files) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, file);
    EXPECT_FALSE(
        llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)));
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << "anything";
    EXPECT_FALSE(error);
    EXPECT_FALSE(llvm::sys::fs::setPermissions(path, llvm::sys::fs::all_all));
  }
  cuda::FoundToolkit found;
  found.toolkit = cuda::Toolkit::inspect(folder);
  EXPECT_FALSE(llvm::sys::fs::remove_directories(folder));
  return found;
}

TEST(Machine, WhatIsMissingIsSaidWithWhatItMeans) {
  cuda::FoundToolkit none;
  none.problem = "no CUDA toolkit at '/there'";
  EXPECT_EQ(describeMissing(none, "cannot load the driver: libcuda.so.1"),
            "this machine lacks an NVIDIA driver (times are estimated), CUDA's "
            "headers (no .cu files), libdevice (no exp and its like), ptxas "
            "and nvJitLink (no cubin, no count of registers), NVRTC (none of "
            "its variants); no CUDA toolkit at '/there'");

  cuda::FoundToolkit some =
      makeToolkit({"include/cuda_runtime.h", "nvvm/libdevice/libdevice.10.bc"});
  EXPECT_EQ(describeMissing(some, ""),
            "this machine lacks ptxas and nvJitLink (no cubin, no count of "
            "registers), NVRTC (none of its variants); the CUDA toolkit is '" +
                some.toolkit->getRoot() + "'");
}

TEST(Machine, AnOldDriverIsNoMissingOne) {
  cuda::FoundToolkit some = makeToolkit({"include/cuda_runtime.h"});
  EXPECT_TRUE(llvm::StringRef(
                  describeMissing(some, "the driver 'x' is too old: it has no "
                                        "cuGraphLaunch"))
                  .starts_with("this machine lacks a newer NVIDIA driver"));
}

TEST(Machine, WhatIsThereIsNotSpokenOf) {
  cuda::FoundToolkit all =
      makeToolkit({"include/cuda_runtime.h", "nvvm/libdevice/libdevice.10.bc",
                   "bin/ptxas", "lib64/libnvrtc.so.13"});
  ASSERT_TRUE(all.toolkit->has(cuda::ToolkitPart::Nvrtc));
  EXPECT_EQ(describeMissing(all, ""), "");
}

} // namespace
