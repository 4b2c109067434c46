// run: --check=api
// expect: api: cudaFreeHost
#include <memory>
__global__ void nothing(int*) {}
struct Free {
  void operator()(int* p) const { cudaFreeHost(p); }  // here
};
int main() {
  int* x = nullptr;
  cudaMallocHost(&x, 256);
  std::unique_ptr<int, Free> one(x);
  std::unique_ptr<int, Free> two(x);
}
