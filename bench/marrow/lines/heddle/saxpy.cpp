#include "../data.hpp"
#include "heddle/skeleton.hpp"

using namespace heddle::skeleton;

int main(int, char** arguments) {
  heddle::Runtime runtime;
  Executor executor(runtime);
  const heddle::Module module = runtime.load_ptx_file(arguments[1]);
  auto x = runtime.array<float>(data::saxpy), y = runtime.array<float>(data::saxpy);
  data::fill(x.write().data(), x.size());
  data::fill(y.write().data(), y.size());
  map(kernel(module.kernel("saxpy"), {}, total, 2.0f, arg(0), arg(1))).run(executor, x, y).get();
  data::print_sum(y.read().data(), y.size());
}
