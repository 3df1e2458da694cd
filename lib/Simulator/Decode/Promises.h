// What the form for detectors notes down of the pre-optimisation code.
#ifndef EVO_LIB_SIMULATOR_DECODE_PROMISES_H
#define EVO_LIB_SIMULATOR_DECODE_PROMISES_H

namespace evo::sim {

/// Metadata of a conversion from a float to less than 32 bits that the program
/// itself asks for: its result has to be a number of that type. (Conversions to
/// 32 and more saturate on all devices, and programs count on it.) An optimiser
/// may besides convert what nobody uses then, which is no fault.
constexpr char inRangeMetadata[] = "evo.in-range";

} // namespace evo::sim

#endif
