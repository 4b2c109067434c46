// Textures and surfaces: arrays and their copies, objects, and the functions that read and write them.
#include <cuda_runtime.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "check.h"

__global__ void fetch(cudaTextureObject_t t, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(t, i) + tex1Dfetch<float>(t, n + i);  // behind the end: 0
}

__global__ void turn(cudaTextureObject_t t, float* out, int width, int height, float angle) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = x / float(width) - 0.5f, v = y / float(height) - 0.5f;
  out[y * width + x] = tex2D<float>(t, u * cosf(angle) - v * sinf(angle) + 0.5f, v * cosf(angle) + u * sinf(angle) + 0.5f);
}

__global__ void bytes(cudaTextureObject_t t, uchar4* raw, cudaTextureObject_t normalized, float4* reals, int width) {
  const int x = threadIdx.x, y = blockIdx.x;
  raw[y * width + x] = tex2D<uchar4>(t, x, y);
  reals[y * width + x] = tex2D<float4>(normalized, x + 0.5f, y + 0.5f);
}

__global__ void volume(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex3D<float>(t, 0.5f + threadIdx.x * 0.5f, 1.0f, 1.5f);
}

__global__ void layers(cudaTextureObject_t t, float* out, int width) {
  out[blockIdx.x * width + threadIdx.x] = -tex2DLayered<float>(t, threadIdx.x + 0.5f, 0.5f, blockIdx.x);
}

__global__ void levels(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, threadIdx.x * 0.5f); }

__global__ void cube(cudaTextureObject_t t, float* out) {
  const float3 direction[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  const float3 d = direction[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(t, d.x, d.y, d.z);
}

__global__ void gather(cudaTextureObject_t t, float4* out) { out[0] = tex2Dgather<float4>(t, 1.0f, 1.0f, 0); }

__global__ void add_one(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float v;
  surf2Dread(&v, from, x * sizeof(float), y);
  surf2Dwrite(v + 1, to, x * sizeof(float), y);
}

__global__ void outside(cudaSurfaceObject_t s, float* out) {
  out[0] = surf2Dread<float>(s, -4, 0, cudaBoundaryModeZero);
  out[1] = surf2Dread<float>(s, -4, 0, cudaBoundaryModeClamp);
  surf2Dwrite(99.0f, s, 0, 1000, cudaBoundaryModeZero);
}

cudaTextureObject_t texture_of(cudaResourceDesc resource, bool linear, bool normalized, cudaTextureAddressMode mode,
                               cudaTextureReadMode reads = cudaReadModeElementType, float most_level = 0) {
  cudaTextureDesc desc = {};
  for (auto& one : desc.addressMode) one = mode;
  desc.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  desc.mipmapFilterMode = desc.filterMode;
  desc.normalizedCoords = normalized;
  desc.readMode = reads;
  desc.maxMipmapLevelClamp = most_level;
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
  return t;
}

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

template <class T>
struct Managed {
  T* p;
  explicit Managed(size_t n) { CHECK(cudaMallocManaged(&p, n * sizeof(T))); }
  ~Managed() { CHECK(cudaFree(p)); }
};

void plain_memory() {
  const int n = 300;
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i) host[i] = 3 * i;
  float* p;
  CHECK(cudaMalloc(&p, n * sizeof(float)));
  CHECK(cudaMemcpy(p, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = p;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = n * sizeof(float);
  const cudaTextureObject_t t = texture_of(resource, false, false, cudaAddressModeClamp);
  Managed<float> out(n);
  fetch<<<2, 256>>>(t, out.p, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(out.p[i] == host[i]);
  cudaResourceDesc reported = {};
  CHECK(cudaGetTextureObjectResourceDesc(&reported, t));
  EXPECT(reported.resType == cudaResourceTypeLinear && reported.res.linear.devPtr == p && reported.res.linear.desc.x == 32);
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFree(p));
}

// As the sample of CUDA that turns an image.
void turned() {
  const int width = 32, height = 16;
  std::vector<float> host(width * height);
  for (int i = 0; i < width * height; ++i) host[i] = i;
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &desc, width, height));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host.data(), width * sizeof(float), width * sizeof(float), height,
                            cudaMemcpyHostToDevice));
  const cudaTextureObject_t t = texture_of(resource_of(array), true, true, cudaAddressModeWrap);
  Managed<float> out(width * height);
  turn<<<dim3(4, 4), dim3(8, 8)>>>(t, out.p, width, height, 0.0f);
  CHECK(cudaDeviceSynchronize());
  // Without an angle, each place lies between four texels.
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int left = (x + width - 1) % width, above = (y + height - 1) % height;
      const float mean = (host[y * width + x] + host[y * width + left] + host[above * width + x] + host[above * width + left]) / 4;
      EXPECT(std::fabs(out.p[y * width + x] - mean) < 0.01f);
    }
  std::vector<float> back(8, 0);  // a part of two rows
  CHECK(cudaMemcpy2DFromArray(back.data(), 4 * sizeof(float), array, 2 * sizeof(float), 3, 4 * sizeof(float), 2,
                              cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; ++i) EXPECT(back[i] == host[(3 + i / 4) * width + 2 + i % 4]);
  cudaExtent extent;
  cudaChannelFormatDesc reported;
  unsigned flags;
  CHECK(cudaArrayGetInfo(&reported, &extent, &flags, array));
  EXPECT(extent.width == width && extent.height == height && extent.depth == 0 && reported.x == 32 && flags == 0);
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeArray(array));
  EXPECT(cudaFreeArray(array) != cudaSuccess);
  cudaGetLastError();
}

void rows_of_bytes() {
  const int width = 20, height = 3;
  uchar4* p;
  size_t pitch;
  CHECK(cudaMallocPitch(&p, &pitch, width * sizeof(uchar4), height));
  std::vector<uchar4> host(width * height);
  for (int i = 0; i < width * height; ++i) host[i] = make_uchar4(i, 2 * i, 255 - i, 51);
  CHECK(cudaMemcpy2D(p, pitch, host.data(), width * sizeof(uchar4), width * sizeof(uchar4), height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {p, cudaCreateChannelDesc<uchar4>(), size_t(width), size_t(height), pitch};
  const cudaTextureObject_t raw = texture_of(resource, false, false, cudaAddressModeClamp);
  const cudaTextureObject_t reals = texture_of(resource, true, false, cudaAddressModeClamp, cudaReadModeNormalizedFloat);
  Managed<uchar4> a(width * height);
  Managed<float4> b(width * height);
  bytes<<<height, width>>>(raw, a.p, reals, b.p, width);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < width * height; ++i) {
    EXPECT(std::memcmp(&a.p[i], &host[i], sizeof(uchar4)) == 0);
    EXPECT(std::fabs(b.p[i].x - host[i].x / 255.0f) < 1e-6f && std::fabs(b.p[i].w - 0.2f) < 1e-6f);
  }
  CHECK(cudaDestroyTextureObject(raw));
  CHECK(cudaDestroyTextureObject(reals));
  CHECK(cudaFree(p));
}

cudaArray_t filled(cudaExtent extent, unsigned flags, const std::vector<float>& host) {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &desc, extent, flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(host.data()), extent.width * sizeof(float), extent.width, extent.height);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

void many_dimensions() {
  std::vector<float> host(4 * 3 * 2);
  for (size_t i = 0; i < host.size(); ++i) host[i] = i;
  const cudaArray_t box = filled(make_cudaExtent(4, 3, 2), 0, host);
  const cudaTextureObject_t t = texture_of(resource_of(box), true, false, cudaAddressModeClamp);
  Managed<float> out(24);
  volume<<<1, 7>>>(t, out.p);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 7; ++i) EXPECT(out.p[i] == 12 + 2 + i * 0.5f);  // slice 1, between the rows 0 and 1
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeArray(box));

  const cudaArray_t stack = filled(make_cudaExtent(4, 3, 2), cudaArrayLayered, host);
  const cudaTextureObject_t layered = texture_of(resource_of(stack), false, false, cudaAddressModeClamp);
  layers<<<2, 4>>>(layered, out.p, 4);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 8; ++i) EXPECT(out.p[i] == -host[i / 4 * 12 + i % 4]);
  CHECK(cudaDestroyTextureObject(layered));
  CHECK(cudaFreeArray(stack));

  const cudaArray_t faces = filled(make_cudaExtent(1, 1, 6), cudaArrayCubemap, {10, 11, 12, 13, 14, 15});
  const cudaTextureObject_t six = texture_of(resource_of(faces), true, true, cudaAddressModeWrap);
  cube<<<1, 6>>>(six, out.p);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 6; ++i) EXPECT(out.p[i] == 10 + i);
  CHECK(cudaDestroyTextureObject(six));
  CHECK(cudaFreeArray(faces));
}

void levels_of_detail() {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t all;
  CHECK(cudaMallocMipmappedArray(&all, &desc, make_cudaExtent(4, 4, 0), 3));
  for (int level = 0; level < 3; ++level) {
    cudaArray_t one;
    CHECK(cudaGetMipmappedArrayLevel(&one, all, level));
    const int size = 4 >> level;
    const std::vector<float> host(size * size, 10.0f * level);
    CHECK(cudaMemcpy2DToArray(one, 0, 0, host.data(), size * sizeof(float), size * sizeof(float), size, cudaMemcpyHostToDevice));
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = all;
  const cudaTextureObject_t t = texture_of(resource, true, true, cudaAddressModeClamp, cudaReadModeElementType, 10);
  Managed<float> out(6);
  levels<<<1, 6>>>(t, out.p);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 6; ++i) EXPECT(out.p[i] == std::fmin(5.0f * i, 20.0f));
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeMipmappedArray(all));
}

void gathered() {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &desc, 2, 2, cudaArrayTextureGather));
  const float texels[] = {1, 2, 3, 4};
  CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, 8, 8, 2, cudaMemcpyHostToDevice));
  const cudaTextureObject_t t = texture_of(resource_of(array), false, false, cudaAddressModeClamp);
  Managed<float4> out(1);
  gather<<<1, 1>>>(t, out.p);
  CHECK(cudaDeviceSynchronize());
  EXPECT(out.p->x == 3 && out.p->y == 4 && out.p->z == 2 && out.p->w == 1);
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeArray(array));
}

void surfaces() {
  const int width = 19, height = 5;
  std::vector<float> host(width * height), back(width * height);
  for (size_t i = 0; i < host.size(); ++i) host[i] = 0.5f * i;
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t from, to;
  CHECK(cudaMallocArray(&from, &desc, width, height, cudaArraySurfaceLoadStore));
  CHECK(cudaMallocArray(&to, &desc, width, height, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(from, 0, 0, host.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  cudaSurfaceObject_t a, b;
  const cudaResourceDesc one = resource_of(from), other = resource_of(to);
  CHECK(cudaCreateSurfaceObject(&a, &one));
  CHECK(cudaCreateSurfaceObject(&b, &other));
  add_one<<<dim3(2, 1), dim3(16, 8)>>>(a, b, width, height);
  Managed<float> out(2);
  outside<<<1, 1>>>(b, out.p);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy2DFromArray(back.data(), width * 4, to, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < host.size(); ++i) EXPECT(back[i] == host[i] + 1);
  EXPECT(out.p[0] == 0 && out.p[1] == host[0] + 1);
  CHECK(cudaDestroySurfaceObject(a));
  CHECK(cudaDestroySurfaceObject(b));
  CHECK(cudaFreeArray(from));
  CHECK(cudaFreeArray(to));
}

int main() {
  plain_memory();
  turned();
  rows_of_bytes();
  many_dimensions();
  levels_of_detail();
  gathered();
  surfaces();
  std::puts("passed");
}
