// A grey volume becomes white, grey and black. It is cut along its third dimension alone.
#include <algorithm>

#include "program.hpp"

namespace heddle::bench::marrow {
namespace {

using namespace skeleton;

constexpr unsigned low = 85, high = 170;

class Segmentation final : public Program {
 public:
  Segmentation(Runtime& runtime, const Module& module, const Inputs& inputs)
      : slice_(static_cast<std::size_t>(inputs.slice_width) * static_cast<std::size_t>(inputs.slice_height)),
        width_(static_cast<std::size_t>(inputs.slice_width)),
        kernel_(module.kernel("segment")),
        grey_(runtime.array<unsigned char>(slice_ * static_cast<std::size_t>(inputs.slices))),
        classes_(runtime.array<unsigned char>(grey_.size())) {}

  std::string name() const override { return "Segmentation"; }
  double bar() const override { return 1.15; }
  std::vector<Value> arguments() override { return {value_of(grey_), value_of(classes_)}; }
  Tree tree() const override {
    return map(kernel(kernel_, {}, skeleton::size, low, high, arg(0).unit(slice_), result(arg(1).unit(slice_))));
  }

  void fill() override {
    const std::span<unsigned char> grey = grey_.write();
    for (std::size_t i = 0; i < grey.size(); ++i) grey[i] = voxel(i);
  }
  void take_to_host() override { grey_.write(); }

  std::string verify(Executor& executor) override {
    fill();
    std::ranges::fill(classes_.write(), static_cast<unsigned char>(1));
    run(executor);
    const std::span<const unsigned char> found = classes_.read();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const unsigned expected = voxel(i) < low ? 0 : voxel(i) < high ? 128 : 255;
      if (found[i] != expected) return differs("voxel", i, found[i], expected);
    }
    return {};
  }

 private:
  // Slopes along all three dimensions.
  unsigned char voxel(std::size_t i) const {
    return static_cast<unsigned char>((i % width_ * 5 + i % slice_ / width_ * 3 + i / slice_ * 7) % 256);
  }

  std::size_t slice_, width_;
  Kernel kernel_;
  Array<unsigned char> grey_, classes_;
};

}  // namespace

std::unique_ptr<Program> make_segmentation(Runtime& runtime, const Module& module, const Inputs& inputs) {
  return std::make_unique<Segmentation>(runtime, module, inputs);
}

}  // namespace heddle::bench::marrow
