#pragma once
#include "torch/library.h"
#include "torch/nn/functional.h"
#include "torch/types.h"
