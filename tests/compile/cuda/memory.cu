// Cached loads and stores, address spaces, the C library's memory functions, the heap.

template <typename T>
__device__ void cached(T* p) {
  p[0] = __ldg(p + 1);
  p[1] = __ldca(p + 2);
  p[2] = __ldcg(p + 3);
  p[3] = __ldcs(p + 4);
  p[4] = __ldlu(p + 5);
  p[5] = __ldcv(p + 6);
  T v = p[7];
  __stwb(p + 8, v);
  __stcg(p + 9, v);
  __stcs(p + 10, v);
  __stwt(p + 11, v);
}
#define EACH(T) \
  extern "C" __global__ void cached_##T(T* p) { cached(p); }
EACH(char) EACH(short) EACH(int) EACH(long) EACH(float) EACH(double) EACH(char2) EACH(char4) EACH(uchar2) EACH(uchar4)
EACH(short2) EACH(short4) EACH(ushort2) EACH(ushort4) EACH(int2) EACH(int4) EACH(uint2) EACH(uint4) EACH(longlong2)
EACH(ulonglong2) EACH(float2) EACH(float4) EACH(double2)

struct Item {
  int a[5];
  double b;
};

extern "C" __global__ void bytes(char* p, const char* q, int n) {
  memcpy(p, q, n);
  memcpy(p + 100, q + 100, 64);
  memset(p + 200, 0, n);
  memset(p + 300, 255, 32);
  memmove(p + 400, p + 401, n);
  p[500] = memcmp(p, q, n) + strcmp(p, q) + strlen(q) + strncmp(p, q, n);
  Item item;
  memcpy(&item, q, sizeof item);
  p[501] = item.a[n] + item.b;
}

extern "C" __global__ void heap(int n, int* out) {
  int* p = static_cast<int*>(malloc(n * sizeof(int)));
  if (!p) return;
  for (int i = 0; i < n; ++i) p[i] = i;
  out[0] = p[n / 2];
  free(p);
  Item* item = new Item();
  Item* items = new Item[n];
  out[1] = item->a[n & 3] + items[n - 1].a[0];
  delete item;
  delete[] items;
}

extern "C" __global__ void spaces(int* p) {
  __shared__ int s[32];
  s[threadIdx.x] = p[threadIdx.x];
  int local[4] = {1, 2, 3, p[0]};
  p[0] = __isGlobal(p) + __isShared(s) + __isLocal(local) + __isConstant(p) + local[p[1] & 3];
  unsigned int address = static_cast<unsigned int>(__cvta_generic_to_shared(&s[1]));
  int v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
  p[1] = v + *static_cast<int*>(__cvta_shared_to_generic(address));
  if (p[2] == 7) __trap();
}
