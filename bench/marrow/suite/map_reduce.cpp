// A histogram of one array and its dot product with another, whose parts' results are added.
#include <algorithm>
#include <array>
#include <cmath>

#include "program.hpp"

namespace heddle::bench::marrow {
namespace {

using namespace skeleton;

class MapReduceProgram final : public Program {
 public:
  MapReduceProgram(Runtime& runtime, const Module& module, const Inputs& inputs)
      : kernel_(module.kernel("histogram_and_dot")),
        x_(runtime.array<float>(inputs.reduce)),
        y_(runtime.array<float>(inputs.reduce)),
        bins_(runtime.array<unsigned>(bins)),
        dot_(runtime.array<double>(1)) {}

  std::string name() const override { return "MapReduce"; }
  double bar() const override { return 1.0; }
  std::vector<Value> arguments() override { return {value_of(x_), value_of(y_), value_of(bins_), value_of(dot_)}; }
  Tree tree() const override {
    return map(kernel(kernel_, {.block = 32, .per_thread = 256}, size, arg<float>(0), arg<float>(1),
                      arg(2).merge(Merge::add), arg(3).merge(Merge::add)));
  }

  void fill() override {
    std::size_t i = 0;
    for (float& value : x_.write()) value = reduced_x(i++);
    i = 0;
    for (float& value : y_.write()) value = reduced_y(i++);
    std::ranges::fill(bins_.write(), 0U);
    dot_.write()[0] = 0;
  }
  void take_to_host() override {
    x_.write();
    y_.write();
  }

  std::string verify(Executor& executor) override {
    fill();
    run(executor);
    std::array<unsigned, bins> counts{};
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      ++counts[static_cast<unsigned>(reduced_x(i) * 63.0f) & 63U];
      sum += static_cast<double>(reduced_x(i)) * static_cast<double>(reduced_y(i));
    }
    for (std::size_t i = 0; i < bins; ++i)
      if (bins_[i] != counts[i]) return differs("bin", i, bins_[i], counts[i]);
    if (!(std::abs(dot_[0] - sum) <= 1e-9 * std::abs(sum))) return differs("dot product", 0, dot_[0], sum);
    return {};
  }

 private:
  static constexpr std::size_t bins = 64;

  Kernel kernel_;
  Array<float> x_, y_;
  Array<unsigned> bins_;
  Array<double> dot_;
};

}  // namespace

float reduced_x(std::size_t i) { return static_cast<float>(i % 1021) / 1021.0f; }
float reduced_y(std::size_t i) { return static_cast<float>(i % 13) - 6.0f; }

std::unique_ptr<Program> make_map_reduce(Runtime& runtime, const Module& module, const Inputs& inputs) {
  return std::make_unique<MapReduceProgram>(runtime, module, inputs);
}

}  // namespace heddle::bench::marrow
