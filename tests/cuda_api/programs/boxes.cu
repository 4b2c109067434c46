// Pitched memory; copies and fills of rectangles and boxes.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

__global__ void mark(char* p, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) reinterpret_cast<int*>(p + y * pitch)[x] += 1000 * y + x;
}

void rectangles() {
  const int width = 37, height = 11;
  int* p;
  size_t pitch;
  CHECK(cudaMallocPitch(&p, &pitch, width * sizeof(int), height));
  EXPECT(pitch >= width * sizeof(int));
  CHECK(cudaMemset2D(p, pitch, 0, width * sizeof(int), height));
  mark<<<dim3(3, 3), dim3(16, 4)>>>(reinterpret_cast<char*>(p), pitch, width, height);
  std::vector<int> got(width * height, -1);
  CHECK(cudaMemcpy2D(got.data(), width * sizeof(int), p, pitch, width * sizeof(int), height, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) EXPECT(got[y * width + x] == 1000 * y + x);
  CHECK(cudaFree(p));
}

void boxes() {
  const size_t w = 8, h = 5, d = 3;
  const cudaExtent extent = make_cudaExtent(w * sizeof(float), h, d);
  cudaPitchedPtr box;
  CHECK(cudaMalloc3D(&box, extent));
  std::vector<float> host(w * h * d), back(w * h * d, -1);
  for (size_t i = 0; i < host.size(); ++i) host[i] = i;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), w * sizeof(float), w, h);
  copy.dstPtr = box;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  cudaMemcpy3DParms part = {};  // without the first row of each slice
  part.srcPtr = box;
  part.srcPos = make_cudaPos(0, 1, 0);
  part.dstPtr = make_cudaPitchedPtr(back.data(), w * sizeof(float), w, h);
  part.dstPos = make_cudaPos(0, 1, 0);
  part.extent = make_cudaExtent(w * sizeof(float), h - 1, d);
  part.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&part));
  for (size_t z = 0; z < d; ++z)
    for (size_t y = 0; y < h; ++y)
      for (size_t x = 0; x < w; ++x) {
        const size_t i = (z * h + y) * w + x;
        EXPECT(back[i] == (y == 0 ? -1.0f : host[i]));
      }
  CHECK(cudaFree(box.ptr));
}

int main() {
  rectangles();
  boxes();
  std::puts("passed");
}
