#include "runtime/kernel_state.hpp"

#include <algorithm>
#include <utility>

#include "base/ids.hpp"
#include "core/launch_scratch.hpp"
#include "modules/argument_check.hpp"
#include "modules/kernel_info.hpp"
#include "ptx/rewrite/block_ranges.hpp"
#include "ptx/rewrite/single_kernel.hpp"

namespace heddle::runtime {
namespace {

std::optional<graph::Mode> mode_of(const std::vector<ptx::analysis::InspectedVariable>& variables) {
  using ptx::analysis::AccessMode;
  std::optional<graph::Mode> mode;
  for (const ptx::analysis::InspectedVariable& variable : variables) {
    if (variable.access == AccessMode::none) continue;
    if (variable.access != AccessMode::read) return graph::Mode::read_write;
    mode = graph::Mode::read;
  }
  return mode;
}

std::uint32_t index_of(const ptx::Module& module, const ptx::Function& function) {
  return static_cast<std::uint32_t>(&function - module.functions.data());
}

}  // namespace

void set_access(sched::ArrayUse& use, Access access, bool overwrites) {
  use.used = access != Access::none;
  use.reads = use.used && access != Access::write;
  use.writes = use.used && access != Access::read;
  use.mode = overwrites ? graph::Mode::write : access == Access::read ? graph::Mode::read : graph::Mode::read_write;
}

KernelState::KernelState(LoadedCode& code, const ptx::Function& function)
    : LaunchedKernel(base::next_id()),
      code_(code),
      function_(function),
      functions_(code.core()->places()),
      prepared_(code.core()->places()),
      early_forms_(code.core()->places()),
      early_known_(code.core()->places()),
      seconds_per_block_(code.core()->places()) {
  info_.name = function.name;
}

KernelState::KernelState(KernelState& kernel, KernelInfo info) : KernelState(kernel.code_, kernel.function_) {
  static_cast<void>(kernel.info());
  shown_ = kernel.shown_;
  variables_ = kernel.variables_;
  history_ = kernel.history_;
  take_info(std::move(info));
  find_plain();
  analysed_.store(true, std::memory_order_release);
}

void KernelState::find_plain() {
  std::size_t bytes = 0;
  for (const Parameter& parameter : info_.parameters) bytes += parameter.size;
  dense_ = bytes == packed_bytes_;
  plain_ = !annotated_ && !variables_ && info_.parameters.size() <= core::LaunchScratch::most_arguments &&
           packed_bytes_ <= core::LaunchScratch::most_bytes;
}

void KernelState::take_info(KernelInfo info) {
  info_ = std::move(info);
  for (const Parameter& parameter : info_.parameters) {
    annotated_ = annotated_ || parameter.direction != Direction::found;
    ParameterUse& use = uses_.emplace_back();
    use.offset = use.array.packed_at = parameter.offset;
    use.takes_address = modules::takes_address(parameter);
    use.value_bytes = parameter.size;
    use.value_kinds = modules::value_kinds(parameter);
    if (use.takes_address) {
      const bool known = parameter.element != ElementType::unknown;
      use.plain_tag = Argument::tag_of(Argument::Kind::array, parameter.element);
      use.plain_mask = known ? Argument::every_tag : Argument::tag_of_any_element;
    }
    use.array.argument = static_cast<std::uint32_t>(uses_.size() - 1);
    set_access(use.array, parameter.access, false);
    packed_bytes_ = std::max<std::size_t>(packed_bytes_, std::size_t{parameter.offset} + parameter.size);
  }
}

void KernelState::analyse() {
  const ptx::analysis::Inspection& inspection = code_.inspection();
  const base::Lock lock(analysing_);
  if (analysed_.load(std::memory_order_relaxed)) return;
  auto [inspected, info] = modules::find_kernel(inspection, code_.ptx(), function_, code_.source_types());
  take_info(std::move(info));
  for (std::size_t i = 0; i < inspected.parameters.size(); ++i)
    shown_.push_back({info_.parameters[i].access, inspected.parameters[i].read_at, inspected.parameters[i].written_at});
  variables_ = mode_of(inspected.variables);
  find_plain();
  analysed_.store(true, std::memory_order_release);
}

bool KernelState::blocks_independent() {
  if (independent_.load(std::memory_order_acquire) == Known::unknown)
    independent_.store(find_independent() ? Known::yes : Known::no, std::memory_order_release);
  return independent_.load(std::memory_order_acquire) == Known::yes;
}

bool KernelState::find_independent() {
  std::uint32_t place = 0;
  const ptx::Module& module = code_.ptx();
  // Where functions are called through pointers the kernel alone does not show which.
  if (ptx::find_single_kernel_refusal(module)) return info().blocks_independent;
  const ptx::Module alone = ptx::take_function(module, index_of(module, function_), place);
  return ptx::find_range_facts(alone).blocks[place].independent();
}

const std::vector<ptx::analysis::BlockReach>& KernelState::block_reach() {
  std::call_once(reach_found_, [this] {
    const ptx::Module& module = code_.ptx();
    reach_ = ptx::analysis::find_block_reach(module, index_of(module, function_));
  });
  return reach_;
}

// The last launches count most: data and neighbours change.
void KernelState::add_time(std::size_t place, double seconds) {
  constexpr double weight = 0.25;
  double& known = seconds_per_block_[place];
  known = known <= 0 ? seconds : known + weight * (seconds - known);
}

device::Function& KernelState::on(std::size_t place) {
  device::Function* function = functions_[place].load(std::memory_order_acquire);
  if (function == nullptr) {
    function = &code_.on(place).function(function_.name);
    functions_[place].store(function, std::memory_order_release);
  }
  return *function;
}

device::Function& KernelState::prepare_on(std::size_t place, const Dim3& block) {
  if (device::Function* const known = prepared_on(place, block)) return *known;
  device::Function& function = on(place);
  function.prepare(block);
  prepared_[place].store(number_of(block), std::memory_order_release);
  return function;
}

void KernelState::make_early_form(std::size_t place) {
  const base::Lock lock(making_early_forms_);
  if (early_form_known(place)) return;
  // Variables of the module would be others in a module of the form's own.
  if (!variables_)
    early_forms_[place] =
        sched::make_early_form(code_.core()->device(place), code_.ptx(), index_of(code_.ptx(), function_));
  early_known_[place].store(true, std::memory_order_release);
}

}  // namespace heddle::runtime
