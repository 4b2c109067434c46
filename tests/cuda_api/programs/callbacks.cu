// Host functions in a stream, in its order.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

__global__ void set(int* p, int value) { *p = value; }

struct State {
  int* managed;
  std::vector<int> seen;
};

void CUDART_CB note(void* data) {
  State& state = *static_cast<State*>(data);
  state.seen.push_back(*state.managed);
}
void CUDART_CB old_note(cudaStream_t, cudaError_t status, void* data) {
  if (status == cudaSuccess) note(data);
}

int main() {
  State state;
  CHECK(cudaHostAlloc(&state.managed, sizeof(int), cudaHostAllocMapped));
  int* device;
  CHECK(cudaHostGetDevicePointer(&device, state.managed, 0));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int i = 1; i <= 3; ++i) {
    set<<<1, 1, 0, stream>>>(device, i);
    if (i == 2)
      CHECK(cudaStreamAddCallback(stream, old_note, &state, 0));
    else
      CHECK(cudaLaunchHostFunc(stream, note, &state));
  }
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(state.seen.size() == 3);
  for (int i = 0; i < 3; ++i) EXPECT(state.seen[i] == i + 1);
  std::puts("passed");
}
