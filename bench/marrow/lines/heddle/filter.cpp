#include "../data.hpp"
#include "heddle/skeleton.hpp"

using namespace heddle::skeleton;

int main(int, char** arguments) {
  heddle::Runtime runtime;
  Executor executor(runtime);
  const heddle::Module module = runtime.load_ptx_file(arguments[1]);
  auto image = runtime.array<float>(data::width * data::height), result = runtime.array<float>(image.size());
  data::fill(image.write().data(), image.size());
  const Slot from = arg(0).unit(data::width), to = arg(1).unit(data::width).resident();
  pipeline(kernel(module.kernel("gaussian_noise"), {.per_thread = 2}, size, offset, 0.1f, from, to),
           kernel(module.kernel("solarize"), {.per_thread = 2}, size, 0.5f, to),
           kernel(module.kernel("mirror"), {.per_thread = 2}, size, data::width, to, from))
      .run(executor, image, result)
      .get();
  data::print_sum(image.read().data(), image.size());
}
