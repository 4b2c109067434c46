#include "../data.hpp"
#include "heddle/skeleton.hpp"

using namespace heddle::skeleton;
struct Complex {
  float re, im;
};

int main(int, char** arguments) {
  heddle::Runtime runtime;
  Executor executor(runtime);
  const heddle::Kernel fft = runtime.load_ptx_file(arguments[1]).kernel("fft512");
  auto signal = runtime.array<Complex>(data::transforms * 512);
  data::fill(signal.write().data(), signal.size());
  const auto half = [&fft](float direction, float scale) {
    return kernel(fft, {.block = 32, .per_thread = 128}, size, direction, scale, arg(0).unit(data::together * 512));
  };
  pipeline(half(-1.0f, 1.0f), half(1.0f, 1.0f / 512)).run(executor, signal).get();
  data::print_sum(signal.read().data(), signal.size());
}
