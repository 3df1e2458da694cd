#pragma once
#include "torch/types.h"

namespace torch::nn::functional {
using namespace at;
}
