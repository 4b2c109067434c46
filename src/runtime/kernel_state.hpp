// A kernel of a module: what the PTX shows, what a signature states, and its functions on devices.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_safety.hpp"
#include "heddle/kernel.hpp"
#include "heddle/launch.hpp"
#include "ptx/analysis/access/access.hpp"
#include "ptx/analysis/access/block_reach.hpp"
#include "ptx/ir.hpp"
#include "runtime/loaded_code.hpp"
#include "sched/bound_launch.hpp"
#include "sched/early_form.hpp"

namespace heddle::runtime {

// What binding an argument needs to know about a parameter.
struct ParameterUse {
  std::uint32_t offset = 0;  // in the packed arguments
  bool takes_address = false;
  // Arguments with this tag under this mask are arrays as the parameter takes them, without a direction.
  std::uint32_t plain_tag = ~std::uint32_t{0}, plain_mask = 0;
  // Values that it takes: of so many bytes, and of these kinds (modules::value_kinds).
  std::uint32_t value_bytes = 0, value_kinds = 0;
  // The use of an array that is passed for it, as the PTX shows it; without the array itself.
  sched::ArrayUse array = {};
};

// Sets the mode of an array whose bytes the kernel accesses like this. `overwrites`: the program states that the kernel
// writes all of them. Without that, Access::write means that it writes some.
void set_access(sched::ArrayUse& use, Access access, bool overwrites);

class KernelState final : public sched::LaunchedKernel {
 public:
  // `code` outlives it.
  KernelState(LoadedCode& code, const ptx::Function& function);
  // The same kernel with a signature.
  KernelState(KernelState& kernel, KernelInfo info);
  KernelState(const KernelState&) = delete;
  KernelState& operator=(const KernelState&) = delete;

  LoadedCode& code() const { return code_; }
  core::Core& core() const { return *code_.core(); }
  const std::string& name() const override { return function_.name; }

  // Any thread; the first call analyses the module.
  const KernelInfo& info() {
    if (!analysed_.load(std::memory_order_acquire)) [[unlikely]]
      analyse();
    return info_;
  }
  // This and the following functions must be called after info(). Any thread.
  const KernelInfo& known_info() const { return info_; }
  std::size_t packed_bytes() const { return packed_bytes_; }
  const std::vector<ParameterUse>& uses() const { return uses_; }  // by parameter
  const ParameterUse& use_of(std::size_t parameter) const { return uses_[parameter]; }
  std::uint32_t offset_of(std::size_t parameter) const override { return uses_[parameter].offset; }
  // What the PTX alone shows about a parameter, without the signature.
  struct Shown {
    Access access = Access::none;
    ptx::analysis::AccessWitness read_at = {}, written_at = {};  // also if the access is unknown
  };
  const Shown& shown(std::size_t parameter) const { return shown_[parameter]; }
  // Whether its signature has directions.
  bool annotated() const { return annotated_; }
  std::optional<graph::Mode> variables() const override { return variables_; }
  // Whether its launches depend on nothing but what its arguments are: no signature has directions, no variable of the
  // module is used, and the arguments are few (resident_launch.hpp).
  bool is_plain() const { return plain_; }
  // Whether the arguments leave no gaps in the packed arguments.
  bool is_dense() const { return dense_; }

  // Whether ranges of its blocks can run in any order, as in info(), but without an analysis of the module's other
  // kernels. Any thread; the first call analyses the kernel.
  bool blocks_independent();
  // Which bytes of its arrays a range of its blocks accesses, by parameter. Any thread; the first call analyses the
  // kernel.
  const std::vector<ptx::analysis::BlockReach>& block_reach();
  // Its function on a device: loads the module there on first use. Any thread, without the core's lock.
  device::Function& on(std::size_t place);
  // The same if it is loaded and prepare_on() was called for the block there; else null.
  device::Function* prepared_on(std::size_t place, const Dim3& block) const {
    const std::uint64_t number = number_of(block);
    if (number == 0 || prepared_[place].load(std::memory_order_acquire) != number) return nullptr;
    return functions_[place].load(std::memory_order_acquire);
  }
  // on(), with code for the block. Any thread, without the core's lock.
  device::Function& prepare_on(std::size_t place, const Dim3& block);
  void make_early_form(std::size_t place) override;
  bool early_form_known(std::size_t place) const override {
    return early_known_[place].load(std::memory_order_acquire);
  }

  // Need the core's lock.
  graph::Access variables_access(std::size_t place, graph::Mode mode) override {
    return code_.variables_access(place, mode);
  }
  graph::ObjectId logical_variables() override { return code_.logical_variables(); }
  // Seconds that a block takes on the place, divided by the number of blocks that run at once; 0: not known.
  double seconds_per_block(std::size_t place) const { return seconds_per_block_[place]; }
  void add_time(std::size_t place, double seconds_per_block);
  bool variables_differ() const override { return code_.variables_differ(); }
  sched::EarlyForm* early_form(std::size_t place) override {
    return early_form_known(place) ? early_forms_[place].get() : nullptr;
  }
  const std::shared_ptr<KernelHistory>& history() override { return history_; }

 private:
  // Equal for equal blocks; 0 for blocks that no device has.
  static std::uint64_t number_of(const Dim3& block) {
    constexpr unsigned bits = 21;
    if (((block.x | block.y | block.z) >> bits) != 0) return 0;
    return std::uint64_t{block.x} << 2 * bits | std::uint64_t{block.y} << bits | block.z;
  }
  void find_plain();
  bool find_independent();
  void analyse();
  void take_info(KernelInfo info);

  LoadedCode& code_;
  const ptx::Function& function_;
  enum class Known : std::uint8_t { unknown, no, yes };
  std::atomic<Known> independent_{Known::unknown};
  std::once_flag reach_found_;
  std::vector<ptx::analysis::BlockReach> reach_;
  base::Mutex analysing_;  // held while analysed_ and what follows is set
  std::atomic<bool> analysed_{false};
  KernelInfo info_;
  std::size_t packed_bytes_ = 0;
  std::vector<ParameterUse> uses_;  // by parameter
  std::vector<Shown> shown_;        // by parameter
  bool annotated_ = false, plain_ = false, dense_ = false;
  std::optional<graph::Mode> variables_;
  // By place.
  std::vector<std::atomic<device::Function*>> functions_;
  std::vector<std::atomic<std::uint64_t>> prepared_;  // number_of() the last block for which code was made; 0: none
  base::Mutex making_early_forms_;  // held while these are set; early_known_ says when they can be read
  std::vector<std::unique_ptr<sched::EarlyForm>> early_forms_;
  std::vector<std::atomic<bool>> early_known_;
  std::vector<double> seconds_per_block_;  // by place; 0: not known
  std::shared_ptr<KernelHistory> history_ = std::make_shared<KernelHistory>();
};

}  // namespace heddle::runtime
