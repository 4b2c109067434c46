// y = a * x + y: a map without restrictions.
#include <algorithm>
#include <cmath>

#include "program.hpp"

namespace heddle::bench::marrow {
namespace {

using namespace skeleton;

constexpr float factor = 2.0f;

class Saxpy final : public Program {
 public:
  Saxpy(Runtime& runtime, const Module& module, const Inputs& inputs)
      : kernel_(module.kernel("saxpy")),
        x_(runtime.array<float>(inputs.saxpy)),
        y_(runtime.array<float>(inputs.saxpy)) {}

  std::string name() const override { return "Saxpy"; }
  double bar() const override { return 1.15; }
  std::vector<Value> arguments() override { return {value_of(x_), value_of(y_)}; }
  Tree tree() const override { return map(kernel(kernel_, {}, total, factor, arg<float>(0), result(arg<float>(1)))); }

  void fill() override {
    std::size_t i = 0;
    for (float& value : x_.write()) value = x(i++);
    i = 0;
    for (float& value : y_.write()) value = y(i++);
  }
  void take_to_host() override {
    x_.write();
    y_.write();
  }

  std::string verify(Executor& executor) override {
    fill();
    run(executor);
    const std::span<const float> found = y_.read();
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] != factor * x(i) + y(i)) return differs("y", i, found[i], factor * x(i) + y(i));
    return {};
  }

 private:
  // Small integers: every rounding is exact.
  static float x(std::size_t i) { return static_cast<float>(i % 1021); }
  static float y(std::size_t i) { return static_cast<float>(i % 509); }

  Kernel kernel_;
  Array<float> x_, y_;
};

}  // namespace

std::unique_ptr<Program> make_saxpy(Runtime& runtime, const Module& module, const Inputs& inputs) {
  return std::make_unique<Saxpy>(runtime, module, inputs);
}

}  // namespace heddle::bench::marrow
