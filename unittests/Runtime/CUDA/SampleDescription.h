// A launch description that uses every feature once: two variants, two
// launches, scratch, scalars of several types, requirements, and names that
// would collide with a careless generator's own.
#ifndef EVO_UNITTESTS_RUNTIME_CUDA_SAMPLEDESCRIPTION_H
#define EVO_UNITTESTS_RUNTIME_CUDA_SAMPLEDESCRIPTION_H

#include "evo/Runtime/LaunchDescription.h"

inline evo::Formula operator""_f(const char *text, size_t size) {
  return llvm::cantFail(evo::Formula::parse({text, size}));
}
inline evo::Condition operator""_c(const char *text, size_t size) {
  return llvm::cantFail(evo::Condition::parse({text, size}));
}

inline evo::LaunchDescription makeSampleDescription() {
  using namespace evo;
  using Op = KernelOperand;
  LaunchDescription d;
  d.name = "row_norm";
  d.dimensions = {"M", "N", "status"};
  d.arguments = {
      {"x", ArgumentRole::In, "f16", {"M"_f, "N"_f}, 16},
      {"out", ArgumentRole::Out, "f32", {"M"_f, "ceildiv(N, 2)"_f}, 4},
      {"stream", ArgumentRole::InOut, "u8", {"status"_f}, 1},
      {"lr", ArgumentRole::Scalar, "f32"},
      {"flag", ArgumentRole::Scalar, "i1"}};
  d.requirements = {"N % 4 == 0"_c, "N <= 65536"_c};

  LaunchVariant wide;
  wide.name = "wide";
  wide.target = {90, 'a'};
  wide.ptxFile = "wide.ptx";
  wide.cubinFile = "wide.cubin";
  wide.requirements = {"N >= 1024"_c, "target == sm_90a"_c};
  wide.scratch = {{"partial", "f32", {"M"_f, "max(N / 1024, 1)"_f}}};
  wide.launches = {{"stage1",
                    {"M"_f, "ceildiv(N, 1024)"_f},
                    {"128"_f},
                    "min(N * 4, 65536) + status"_f,
                    {{Op::Argument, "x"},
                     {Op::Scratch, "partial"},
                     {Op::Formula, "", "i32", "N"_f},
                     {Op::Argument, "lr"}}},
                   {"stage2",
                    {"ceildiv(M, 4)"_f},
                    {"32"_f, "4"_f},
                    "0"_f,
                    {{Op::Scratch, "partial"},
                     {Op::Argument, "out"},
                     {Op::Argument, "stream"},
                     {Op::Argument, "flag"},
                     {Op::Formula, "", "i64", "M - (N - 1) / 7 % 3"_f},
                     {Op::Formula, "", "u8", "status"_f}}}};

  LaunchVariant narrow;
  narrow.name = "narrow";
  narrow.target = {80};
  narrow.cubinFile = "";
  narrow.launches = {
      {"narrow",
       {"min(M, 1000) * max(1, status)"_f, "M * M * M * M / (M * M)"_f},
       {"min(N, 256)"_f},
       "(0 - N) / 3 % 100"_f,
       {{Op::Argument, "x"}, {Op::Argument, "out"}}}};
  d.variants = {wide, narrow};
  return d;
}

#endif
