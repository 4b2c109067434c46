#include "../data.hpp"
#include "heddle/skeleton.hpp"

using namespace heddle::skeleton;
struct Float4 {
  float x, y, z, w;
};

int main(int, char** arguments) {
  heddle::Runtime runtime;
  Executor executor(runtime);
  const heddle::Kernel forces = runtime.load_ptx_file(arguments[1]).kernel("nbody");
  auto bodies = runtime.array<Float4>(data::bodies), velocity = runtime.array<Float4>(data::bodies),
       next = runtime.array<Float4>(data::bodies);
  data::fill(bodies.write().data(), bodies.size());
  loop(kernel(forces, {}, size, offset, total, 1e-6f, arg(0).copy(), arg(1), arg(2)),
       {.iterations = data::steps, .swap = {{0, 2}}, .global_sync = true})
      .run(executor, bodies, velocity, next)
      .get();
  data::print_sum(next.read().data(), next.size());
}
