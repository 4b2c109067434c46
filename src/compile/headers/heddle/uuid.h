// The identity of a device, for both APIs. The guard is that of NVIDIA's headers, which a program may include as well.
#pragma once
#pragma GCC system_header

#if !defined(CU_UUID_HAS_BEEN_DEFINED)
#define CU_UUID_HAS_BEEN_DEFINED
typedef struct CUuuid_st CUuuid_st;
struct CUuuid_st {
  char bytes[16];
};
typedef struct CUuuid_st CUuuid;
#endif
