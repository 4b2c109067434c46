// run: --check=api
#include <memory>
__global__ void nothing(int*) {}
struct Free {
  void operator()(int* p) const { cudaFreeHost(p); }
};
int main() {
  int* x = nullptr;
  cudaMallocHost(&x, 256);
  std::unique_ptr<int, Free> one(x);
  std::unique_ptr<int, Free> two;
}
