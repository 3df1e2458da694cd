#pragma once
#include "ATen/ATen.h"

namespace torch {
using namespace at;
using Dtype = c10::ScalarType;
using c10::kCPU;
using c10::kCUDA;
} // namespace torch
