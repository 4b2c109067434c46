// What the files of this program have of each other.
#pragma once

#include <cuda_runtime.h>

extern __device__ float table[4];     // archived.cu
extern __constant__ float factors[4];  // main.cu
extern __managed__ int managed_numbers[3];  // shapes.cu
extern __managed__ int* managed_place;      // main.cu
__device__ float twice(float x);       // main.cu
__device__ float mixed(float x);       // archived.cu

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
};
__device__ const Shape* shape(int kind);  // shapes.cu

// Each launches a kernel of its own file; all of these have static names that the others have too.
cudaError_t launch_archived(float* data, int count);
cudaError_t launch_shapes(float* data, int count);
cudaError_t count_managed_of_shapes();
cudaError_t launch_plain(float* data, int count);
