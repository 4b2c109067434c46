// First versions of functions that were given a new name and kept their parameters. No header of ours is included:
// these names are macros there.
#include <cstddef>

#define HEDDLE_DRIVER_ALIAS(name, newer, parameters, arguments) \
  extern "C" int newer parameters;                              \
  extern "C" __attribute__((visibility("default"))) int name parameters { return newer arguments; }

HEDDLE_DRIVER_ALIAS(cuCtxCreate, cuCtxCreate_v2, (void** context, unsigned flags, int device), (context, flags, device))
HEDDLE_DRIVER_ALIAS(cuCtxDestroy, cuCtxDestroy_v2, (void* context), (context))
HEDDLE_DRIVER_ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2, (void** context), (context))
HEDDLE_DRIVER_ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2, (void* context), (context))
HEDDLE_DRIVER_ALIAS(cuStreamDestroy, cuStreamDestroy_v2, (void* stream), (stream))
HEDDLE_DRIVER_ALIAS(cuEventDestroy, cuEventDestroy_v2, (void* event), (event))
HEDDLE_DRIVER_ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (int device), (device))
HEDDLE_DRIVER_ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, (int device), (device))
HEDDLE_DRIVER_ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, (int device, unsigned flags),
                    (device, flags))
HEDDLE_DRIVER_ALIAS(cuMemHostRegister, cuMemHostRegister_v2, (void* p, std::size_t size, unsigned flags),
                    (p, size, flags))
HEDDLE_DRIVER_ALIAS(cuLinkCreate, cuLinkCreate_v2, (unsigned count, int* options, void** values, void** state),
                    (count, options, values, state))
HEDDLE_DRIVER_ALIAS(cuLinkAddData, cuLinkAddData_v2,
                    (void* state, int type, void* data, std::size_t size, const char* name, unsigned count,
                     int* options, void** values),
                    (state, type, data, size, name, count, options, values))
HEDDLE_DRIVER_ALIAS(cuLinkAddFile, cuLinkAddFile_v2,
                    (void* state, int type, const char* file, unsigned count, int* options, void** values),
                    (state, type, file, count, options, values))
