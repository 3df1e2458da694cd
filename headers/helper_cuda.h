// Helpers of NVIDIA's samples: checks of calls, choice of a device.
#pragma once
#include "helper_string.h"
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

template <class T>
void check(T result, const char *call, const char *file, int line);
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(text) (void)(text)
#define printLastCudaError(text) (void)(text)
const char *_cudaGetErrorEnum(cudaError_t error);
int findCudaDevice(int argc, const char **argv);
int gpuGetMaxGflopsDeviceId();
int gpuDeviceInit(int device);
int _ConvertSMVer2Cores(int major, int minor);
bool checkCudaCapabilities(int major, int minor);
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
