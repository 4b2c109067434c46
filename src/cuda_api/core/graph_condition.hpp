// Conditions of graphs: words that kernels write (cudaGraphSetConditional) and that select the graphs within a
// conditional node.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cuda_api/core/context.hpp"

namespace heddle::cuda_api {

// What a cudaGraphConditionalHandle stands for. The handle is the word's address, which host and kernels share.
class GraphCondition {
 public:
  // `assigns`: a launch of the graph begins with the value `initial`.
  GraphCondition(Context& context, unsigned initial, bool assigns);
  std::uint64_t handle() const { return reinterpret_cast<std::uint64_t>(memory_.host()); }
  unsigned value() const { return *static_cast<const volatile unsigned*>(memory_.host()); }
  void begin_launch() const {
    if (assigns_) *static_cast<volatile unsigned*>(memory_.host()) = initial_;
  }
  std::atomic<bool> used{false};  // by a node: it has one

 private:
  heddle::Memory memory_;
  unsigned initial_;
  bool assigns_;
};

std::shared_ptr<GraphCondition> make_condition(Context& context, unsigned initial, bool assigns);
// Throws cudaErrorInvalidValue for an invalid handle, or one that is no longer valid.
std::shared_ptr<GraphCondition> condition_of(std::uint64_t handle);

// PTX that declares cudaGraphSetConditional, which NVIDIA's compiler leaves to a library, with its definition.
std::string with_set_conditional(std::string_view ptx);

}  // namespace heddle::cuda_api
