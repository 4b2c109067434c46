#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include "compare/contender.hpp"
#include "support/folders.hpp"

namespace heddle::bench {
namespace {

class HeddleContender final : public Contender {
 public:
  HeddleContender(const Case& test, Runtime& runtime) : test_(test), runtime_(runtime) {
    const Module module = runtime.compile_file(source_root() / "bench/cpu/kernels" / (test.name + ".cu"));
    for (const Step& step : test.steps) {
      if (!kernels_.contains(step.kernel)) kernels_.emplace(step.kernel, module.kernel(step.kernel));
    }
    for (const ArraySpec& spec : test.arrays) arrays_.push_back(runtime.array<std::byte>(spec.initial.size()));
    for (std::size_t i = 0; i < arrays_.size(); ++i) set(i);
  }
  std::string name() const override { return "Heddle"; }
  void reset() override {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (test_.arrays[i].role == Role::changed) set(i);
    }
  }
  void run() override {
    for (const Step& step : test_.steps) launch(step);
    runtime_.synchronize();
  }
  std::span<const std::byte> read(std::size_t array) override { return arrays_[array].read(); }

 private:
  void set(std::size_t index) {
    const auto& initial = test_.arrays[index].initial;
    std::memcpy(arrays_[index].write().data(), initial.data(), initial.size());
  }
  Argument argument(const StepArgument& value) const {
    if (const auto* array = std::get_if<ArrayIndex>(&value)) return arrays_[array->index];
    if (const auto* number = std::get_if<float>(&value)) return *number;
    return std::get<std::int32_t>(value);
  }
  void launch(const Step& step) {
    arguments_.clear();
    for (const StepArgument& value : step.arguments) arguments_.push_back(argument(value));
    runtime_.launch_list(kernels_.at(step.kernel), {.grid = step.grid, .block = step.block}, arguments_);
  }

  const Case& test_;
  Runtime& runtime_;
  std::map<std::string, Kernel> kernels_;
  std::vector<Array<std::byte>> arrays_;
  std::vector<Argument> arguments_;
};

}  // namespace

std::unique_ptr<Contender> make_heddle(const Case& test, Runtime& runtime) {
  return std::make_unique<HeddleContender>(test, runtime);
}

}  // namespace heddle::bench
