// Marrow's five benchmarks (section 4 of its paper), and one with a reduction, which the paper describes and does not
// measure. Kernels are in kernels/marrow.cu.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heddle/skeleton.hpp"
#include "inputs.hpp"
#include "photo.hpp"

namespace heddle::bench::marrow {

// One benchmark: its data, its tree, and a serial reference of its results. One thread.
class Program {
 public:
  virtual ~Program() = default;
  virtual std::string name() const = 0;
  virtual double bar() const = 0;  // times as fast on CPUs and GPUs as on the GPUs alone
  virtual skeleton::Tree tree() const = 0;
  virtual std::vector<skeleton::Value> arguments() = 0;
  // Writes the inputs on the host.
  virtual void fill() = 0;
  // The host has all of the data from now on: a run has to upload what its GPUs need. Values stay.
  virtual void take_to_host() = 0;
  // From now on the devices make and keep the data: runs bring no results to the host.
  void keep_on_devices() { kept_ = true; }
  // Runs it on fresh inputs. Empty, or a sentence about the first result that is not that of the serial reference.
  virtual std::string verify(skeleton::Executor& executor) = 0;

  skeleton::Report run(skeleton::Executor& executor) {
    if (!kept_) take_to_host();
    return executor.run(tree(), arguments()).get();
  }

 protected:
  // Of a result.
  skeleton::Slot result(const skeleton::Slot& slot) const { return kept_ ? slot.resident() : slot; }

 private:
  bool kept_ = false;
};

// In the paper's order, with the reduction last. The runtime outlives them.
std::vector<std::unique_ptr<Program>> all_programs(Runtime& runtime, const Module& module, const Inputs& inputs,
                                                   const Photo& photo);

std::unique_ptr<Program> make_filter(Runtime& runtime, const Module& module, const Inputs& inputs, const Photo& photo);
std::unique_ptr<Program> make_fft(Runtime& runtime, const Module& module, const Inputs& inputs);
std::unique_ptr<Program> make_nbody(Runtime& runtime, const Module& module, const Inputs& inputs);
std::unique_ptr<Program> make_saxpy(Runtime& runtime, const Module& module, const Inputs& inputs);
std::unique_ptr<Program> make_segmentation(Runtime& runtime, const Module& module, const Inputs& inputs);
std::unique_ptr<Program> make_map_reduce(Runtime& runtime, const Module& module, const Inputs& inputs);

// The inputs of the reduction.
float reduced_x(std::size_t i);
float reduced_y(std::size_t i);

// "y[17] is 0.5, but the reference has 0.25".
std::string differs(const std::string& name, std::size_t index, double found, double expected);

}  // namespace heddle::bench::marrow
