#include "chain_kernels.hpp"

namespace heddle::bench {

Ours::Ours(const std::string& device, bool replay)
    : runtime_({.devices = device, .scheduling = {.replay = replay}}),
      module_(runtime_.load_ptx(chain_kernels)),
      small_(module_.kernel("small")),
      look_(module_.kernel("look")) {
  for (unsigned i = 0; i < shape_arrays; ++i) arrays_.push_back(runtime_.array<std::uint32_t>(shape_array_words));
}

Took Ours::run(const Shape& shape, unsigned nanoseconds) {
  const LaunchOptions one{.grid = {1}, .block = {shape_threads}};
  const double start = seconds();
  for (int i = 0; i < shape.repeats; ++i) {
    runtime_.launch(small_, one, arrays_[0], arrays_[0], nanoseconds);
    for (unsigned k = 1; k <= shape.followers; ++k) {
      if (shape.only_read)
        runtime_.launch(look_, one, arrays_[0], nanoseconds);
      else
        runtime_.launch(small_, one, arrays_[k], arrays_[0], nanoseconds);
    }
  }
  const double handed_over = seconds();
  runtime_.synchronize();
  return {handed_over - start, seconds() - start};
}

}  // namespace heddle::bench
