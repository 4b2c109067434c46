// A launch that begins while its arrays are still on their way from the host, if its kernel gains by it.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "graph/dag.hpp"
#include "heddle/kernel.hpp"
#include "heddle/launch.hpp"
#include "runtime/awaiting_form.hpp"
#include "runtime/buffer.hpp"
#include "runtime/engine.hpp"
#include "runtime/module_state.hpp"

namespace heddle::runtime {

class Core;

// Goes with one launch, from before its arrays are brought until it is submitted. Everything needs the core's lock.
class EarlyStart {
 public:
  // Decides whether the launch is to begin early, to be measured, or neither.
  void plan(Core& core, std::size_t place, KernelState& kernel, const LaunchOptions& options,
            std::span<const Argument> arguments);
  bool has_plan() const { return plan_ != nullptr; }
  // What the array of this parameter is to be brought for.
  Arriving arriving(std::size_t parameter) const { return plan_ ? plan_->asked[parameter] : Arriving::before; }

  // The arrays are acquired: `accesses` are the launch's, those of arguments first; `parameters` tell whose.
  void settle(Core& core, std::size_t place, std::span<const graph::Access> accesses,
              std::span<const std::uint32_t> parameters) {
    if (plan_) find_copies(core, place, accesses, parameters);
  }
  // Puts in what the launch is submitted with.
  void complete(Engine::Wanted& wanted) const {
    if (plan_) put_in(wanted);
  }
  // What is launched in place of the kernel: null, the kernel itself.
  device::Function* function() const { return !plan_ || plan_->ahead_of.empty() ? nullptr : plan_->form->function; }
  // The arguments of function(), which is not null: those of the kernel and the words.
  std::span<const std::byte> arguments(std::span<const std::byte> packed);

 private:
  struct Plan {
    AwaitingForm* form;
    bool early = false, measured = true;
    boost::container::small_vector<Arriving, 16> asked = {};  // by parameter
    boost::container::small_vector<graph::TaskRef, 2> ahead_of = {};
    boost::container::small_vector<std::uint64_t, 4> words = {};  // addresses
    std::shared_ptr<EarlySample> sample = {};
    boost::container::small_vector<std::byte, 256> packed = {};
  };
  void find_copies(Core& core, std::size_t place, std::span<const graph::Access> accesses,
                   std::span<const std::uint32_t> parameters);
  void put_in(Engine::Wanted& wanted) const;

  std::unique_ptr<Plan> plan_;  // most launches have none
};

}  // namespace heddle::runtime
