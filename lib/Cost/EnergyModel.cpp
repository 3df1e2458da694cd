// What was counted, each at a fixed price. The prices are of published circuits
// and not of a card: they say that a byte from DRAM costs as much as ten
// operations or so, which is what ranks variants, and no more.
#include "EnergyModel.h"

using namespace evo;
using sim::OpClass;

// Picojoules. HBM2: 3.9 pJ a bit (O'Connor et al., "Fine-Grained DRAM", MICRO
// 2017). The rest: M. Horowitz, "Computing's Energy Problem", ISSCC 2014, 45
// nm, of which a read of 64 bits out of a cache of 1 MiB (L2) and of 32 KiB
// (L1, shared memory), a sum and a product of f32. f64 is taken as four times
// f32, a special function as four products.
static constexpr double dramByte = 31.0;
static constexpr double l2Byte = 100.0 / 8;
static constexpr double nearByte = 20.0 / 8;
static constexpr double f32Operation = 0.9 + 3.7;
static constexpr double f64Operation = 4 * f32Operation;
static constexpr double f16Operation = 0.4 + 1.1;
static constexpr double specialOperation = 4 * 3.7;
static constexpr double intOperation = 0.1 + 3.1;

double evo::estimateEnergy(const LaunchFacts &facts,
                           const TimeBreakdown &time) {
  const sim::Counters &c = facts.counters;
  double ofGrid = facts.blocks / facts.counted;
  auto lanes = [&](OpClass op) {
    return double(c.laneInstructions[static_cast<unsigned>(op)]) * ofGrid;
  };
  double near = double(c.shared[0].bytes + c.shared[1].bytes) +
                double(target::TargetInfo::sectorBytes) *
                    double(c.global[0].sectors + c.global[1].sectors);
  // What matrices multiply is counted as operations alone.
  double scalar =
      2.0 * double(c.laneInstructions[static_cast<unsigned>(OpClass::Fp32)] +
                   c.laneInstructions[static_cast<unsigned>(OpClass::Fp64)] +
                   c.laneInstructions[static_cast<unsigned>(OpClass::Fp16)]);
  bool hasTensor =
      c.warpInstructions[static_cast<unsigned>(OpClass::Tensor)] > 0;
  double matrix =
      hasTensor ? std::max(0.0, double(c.flops) - scalar) / 2 * ofGrid : 0;
  double picojoules = time.dramBytes * dramByte + time.l2Bytes * l2Byte +
                      near * ofGrid * nearByte +
                      lanes(OpClass::Fp32) * f32Operation +
                      lanes(OpClass::Fp64) * f64Operation +
                      (lanes(OpClass::Fp16) + matrix) * f16Operation +
                      lanes(OpClass::Special) * specialOperation +
                      lanes(OpClass::Int) * intOperation;
  return picojoules * 1e-6;
}
