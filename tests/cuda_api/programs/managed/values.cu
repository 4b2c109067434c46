// __managed__ variables as heddle cc takes them beyond nvcc: initial values that are addresses, members of classes; and
// what cudaDeviceReset() leaves of them.
#include <cuda_runtime.h>

#include "../check.h"

struct Node {
  int value;
  Node* next;
};
struct Packed {
  char c;
  int* p;
} __attribute__((packed));
struct Holder {
  static __managed__ int member;
};
template <class T>
struct Sizes {
  static __managed__ unsigned size;
};
struct Number {
  int value;
  constexpr explicit Number(int n) : value(n) {}
};

__managed__ int total = 5;
__managed__ Node first = {3, nullptr}, second = {4, &first};
__managed__ int numbers[4] = {1, 2, 3, 4};
__managed__ int* inside = &numbers[1];
__managed__ Packed packed = {1, &numbers[2]};
__managed__ int Holder::member = 9;
template <class T>
__managed__ unsigned Sizes<T>::size = sizeof(T);
inline __managed__ int in_a_header = 13;
int __managed__ behind_the_type = 21;
__managed__ Number made(50);
extern "C" __managed__ volatile int flag;
__managed__ volatile int flag = 0;

// What only the device knows.
__device__ int own[4] = {0, 0, 50};
__managed__ int* on_the_device = own + 2;
__managed__ int* changed_by_the_host = own + 1;
__device__ int one_more(int n) { return n + 1; }
__managed__ int (*function)(int) = one_more;

__global__ void change() {
  total = function(total);
  *inside += 10;
  *packed.p += 20;
  second.next->value += Holder::member;
  ++*on_the_device;
  if (changed_by_the_host) ++*changed_by_the_host;
  Sizes<double>::size += in_a_header + behind_the_type + made.value;
  flag = 1;
}

__global__ void read(int* p) { *p = own[2]; }

static void check_first_values() {
  EXPECT(total == 5 && first.value == 3 && second.value == 4 && second.next == &first);
  EXPECT(inside == numbers + 1 && packed.c == 1 && packed.p == numbers + 2 && numbers[3] == 4);
  EXPECT(Holder::member == 9 && Sizes<double>::size == 8 && in_a_header == 13 && made.value == 50 && flag == 0);
}

int main() {
  check_first_values();
  changed_by_the_host = &numbers[3];
  change<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(total == 6 && numbers[1] == 12 && numbers[2] == 23 && numbers[3] == 5 && first.value == 12);
  EXPECT(Sizes<double>::size == 92 && flag == 1);
  int copy, *p;
  CHECK(cudaMallocManaged(&p, sizeof(int)));
  read<<<1, 1>>>(p);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*p == 51);
  CHECK(cudaMemcpy(&copy, on_the_device, sizeof copy, cudaMemcpyDefault));

  total = 1000;
  CHECK(cudaDeviceReset());
  check_first_values();
  changed_by_the_host = nullptr;
  change<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(total == 6 && numbers[1] == 12 && numbers[3] == 4 && Sizes<double>::size == 92);
  CHECK(cudaMemcpyFromSymbol(&copy, own, sizeof copy, 2 * sizeof copy));
  EXPECT(copy == 51);
  std::puts("passed");
}
