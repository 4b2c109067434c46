#include "../data.hpp"
#include "heddle/skeleton.hpp"

using namespace heddle::skeleton;

int main(int, char** arguments) {
  heddle::Runtime runtime;
  Executor executor(runtime);
  const heddle::Kernel segment = runtime.load_ptx_file(arguments[1]).kernel("segment");
  auto grey = runtime.array<unsigned char>(data::slice * data::slices),
       classes = runtime.array<unsigned char>(grey.size());
  data::fill(grey.write().data(), grey.size());
  map(kernel(segment, {}, size, 85u, 170u, arg(0).unit(data::slice), arg(1).unit(data::slice)))
      .run(executor, grey, classes)
      .get();
  data::print_sum(classes.read().data(), classes.size());
}
