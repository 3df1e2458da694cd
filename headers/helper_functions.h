// Helpers of NVIDIA's samples: timers, command lines, comparisons.
#pragma once
#include "helper_string.h"

struct StopWatchInterface;
bool sdkCreateTimer(StopWatchInterface **timer);
bool sdkDeleteTimer(StopWatchInterface **timer);
bool sdkStartTimer(StopWatchInterface **timer);
bool sdkStopTimer(StopWatchInterface **timer);
bool sdkResetTimer(StopWatchInterface **timer);
float sdkGetTimerValue(StopWatchInterface **timer);
float sdkGetAverageTimerValue(StopWatchInterface **timer);
template <class... A> bool sdkLoadPGM(const A &...);
template <class... A> bool sdkSavePGM(const A &...);
template <class... A> bool sdkLoadPPM4(const A &...);
template <class... A> bool sdkSavePPM4ub(const A &...);
template <class... A> bool sdkCompareL2fe(const A &...);
template <class... A> bool compareData(const A &...);
