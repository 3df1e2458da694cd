// What a CUDA extension of PyTorch includes: enough of its interface to compile
// device code and the launches of host code. Nothing here is defined: no host
// code is run.
#pragma once
#include "c10/macros/Macros.h"
#include "pybind11/pybind11.h"
#include "torch/all.h"
#include <cuda_runtime.h>

#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME evo_extension
#endif
