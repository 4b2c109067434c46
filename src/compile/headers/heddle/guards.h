// The names of guards in NVIDIA's headers: programs ask by them which of those were included before.
#pragma once

#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __HOST_DEFINES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__

// CCCL asks for the headers of formats of 8 bits and fewer, which Heddle has to refuse them, and would take them.
#define CCCL_DISABLE_NVFP8_SUPPORT 1
#define CCCL_DISABLE_NVFP6_SUPPORT 1
#define CCCL_DISABLE_NVFP4_SUPPORT 1
