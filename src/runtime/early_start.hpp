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
  // What the array of this parameter is to be brought for.
  Arriving arriving(std::size_t parameter) const { return form_ == nullptr ? Arriving::before : asked_[parameter]; }

  // The arrays are acquired: `accesses` are the launch's, those of arguments first; `parameters` tell whose.
  void settle(Core& core, std::size_t place, std::span<const graph::Access> accesses,
              std::span<const std::uint32_t> parameters) {
    if (form_ != nullptr) find_copies(core, place, accesses, parameters);
  }
  // Puts in what the launch is submitted with.
  void complete(Engine::Wanted& wanted) const {
    if (form_ != nullptr) put_in(wanted);
  }
  // What is launched in place of the kernel: null, the kernel itself.
  device::Function* function() const { return ahead_of_.empty() ? nullptr : form_->function; }
  // The arguments of function(), which is not null: those of the kernel and the words.
  std::span<const std::byte> arguments(std::span<const std::byte> packed);

 private:
  // Most launches are none of these.
  void find_copies(Core& core, std::size_t place, std::span<const graph::Access> accesses,
                   std::span<const std::uint32_t> parameters);
  void put_in(Engine::Wanted& wanted) const;

  AwaitingForm* form_ = nullptr;
  bool early_ = false;
  boost::container::small_vector<Arriving, 16> asked_;  // by parameter
  boost::container::small_vector<graph::TaskRef, 2> ahead_of_;
  boost::container::small_vector<std::uint64_t, 4> words_;  // addresses
  std::shared_ptr<EarlySample> sample_;
  boost::container::small_vector<std::byte, 256> packed_;
};

}  // namespace heddle::runtime
