// A launch description that uses every feature once: two variants, two
// launches, scratch, scalars of several types, requirements, and names that
// would collide with a careless generator's own.
#ifndef EVO_UNITTESTS_RUNTIME_CUDA_SAMPLEDESCRIPTION_H
#define EVO_UNITTESTS_RUNTIME_CUDA_SAMPLEDESCRIPTION_H

#include "evo/Runtime/LaunchDescription.h"

inline evo::LaunchDescription makeSampleDescription() {
  using namespace evo;
  using Op = KernelOperand;
  LaunchDescription d;
  d.name = "row_norm";
  d.dimensions = {"M", "N", "status"};
  d.arguments = {{"x", ArgumentRole::In, "f16", {"M", "N"}, 16},
                 {"out", ArgumentRole::Out, "f32", {"M", "ceildiv(N, 2)"}, 4},
                 {"stream", ArgumentRole::InOut, "u8", {"status"}, 1},
                 {"lr", ArgumentRole::Scalar, "f32"},
                 {"flag", ArgumentRole::Scalar, "i1"}};
  d.requirements = {"N % 4 == 0", "N <= 65536"};

  LaunchVariant wide;
  wide.name = "wide";
  wide.target = "sm_90a";
  wide.ptxFile = "wide.ptx";
  wide.cubinFile = "wide.cubin";
  wide.requirements = {"N >= 1024", "target == sm_90a"};
  wide.scratch = {{"partial", "f32", {"M", "max(N / 1024, 1)"}}};
  wide.launches = {{"stage1",
                    {"M", "ceildiv(N, 1024)"},
                    {"128"},
                    "min(N * 4, 65536) + status",
                    {{Op::Argument, "x"},
                     {Op::Scratch, "partial"},
                     {Op::Formula, "N", "i32"},
                     {Op::Argument, "lr"}}},
                   {"stage2",
                    {"ceildiv(M, 4)"},
                    {"32", "4"},
                    "0",
                    {{Op::Scratch, "partial"},
                     {Op::Argument, "out"},
                     {Op::Argument, "stream"},
                     {Op::Argument, "flag"},
                     {Op::Formula, "M - (N - 1) / 7 % 3", "i64"},
                     {Op::Formula, "status", "u8"}}}};

  LaunchVariant narrow;
  narrow.name = "narrow";
  narrow.target = "sm_80";
  narrow.cubinFile = "";
  narrow.launches = {
      {"narrow",
       {"min(M, 1000) * max(1, status)", "M * M * M * M / (M * M)"},
       {"min(N, 256)"},
       "(0 - N) / 3 % 100",
       {{Op::Argument, "x"}, {Op::Argument, "out"}}}};
  d.variants = {wide, narrow};
  return d;
}

#endif
