#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "parts.h"

int devices_by_c(void) {
  int count = 0;
  enum cudaError error = cudaGetDeviceCount(&count);
  struct dim3 grid = {1, 1, 1};
  cudaStream_t stream = NULL;
  if (error != cudaSuccess || grid.x != 1 || cudaStreamSynchronize(stream) != cudaSuccess) abort();
  return count;
}
