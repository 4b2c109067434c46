#include "skeleton/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "heddle/reach.hpp"

namespace heddle::skeleton {
namespace {

bool writes(const Parameter& parameter) { return parameter.access != Access::read && parameter.access != Access::none; }

// How many elements a thread computes of an array that the kernel indexes by its global thread number: blocks access
// bytes that follow each other without gap or overlap. 0: it is not so, or not known.
std::uint64_t found_per_thread(const Node& node, std::size_t place, std::size_t element_bytes) {
  const Dim3 grid{8}, block{node.options.block};
  std::uint64_t per_thread = 0;
  for (std::uint64_t b = 0; b < 3; ++b) {
    const auto reach = block_reach(*node.kernel, place, grid, block, {b, b + 1});
    if (!reach || reach->end <= reach->begin) return 0;
    const auto bytes = static_cast<std::uint64_t>(reach->end - reach->begin);
    if (reach->begin != static_cast<std::int64_t>(b * bytes) || bytes % (element_bytes * block.x) != 0) return 0;
    if (b > 0 && bytes / (element_bytes * block.x) != per_thread) return 0;
    per_thread = bytes / (element_bytes * block.x);
  }
  return per_thread;
}

}  // namespace

Program::Program(const Tree& tree, const std::vector<Value>& values) : root_(tree.node()), values_(&values) {
  slots_.resize(values.size());
  for (const Value& value : values) {
    counts_.push_back(value.count);
    double_precision_ = double_precision_ || value.double_precision;
  }
  for_each_kernel(*root_, [this](const Node& node) { add(node); });
  check_count(*root_);
  look_at_loops(*root_);
  find_units();
  check_locality();
  std::vector<ArrayUse> partitioned;
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].partitioned) partitioned.push_back({fmt::format("argument {}", i), counts_[i], slots_[i].unit, {}});
  units_ = units_of(partitioned);
  values_ = nullptr;
}

void Program::add(const Node& node) {
  KernelUseOf kernel{
      .node = &node, .per_thread = std::vector<std::uint64_t>(node.bindings.size()), .sliced = node.sliced};
  for (std::size_t i = 0; i < node.bindings.size(); ++i)
    if (node.bindings[i].kind() == Binding::Kind::slot) add_slot(kernel, i);
  for (std::size_t i = 0; i < node.bindings.size() && kernel.domain < 0; ++i)
    if (kernel.per_thread[i] > 0) kernel.domain = static_cast<int>(i);
  for (std::size_t i = 0; i < node.bindings.size() && kernel.domain < 0; ++i)
    if (node.bindings[i].kind() == Binding::Kind::slot && counts_[node.bindings[i].slot().number()] > 0)
      kernel.domain = static_cast<int>(i);
  if (kernel.domain < 0)
    base::fail(ErrorCode::invalid_argument, "kernel {} has no array: nothing says how many threads it needs",
               readable_name(*node.kernel));
  kernels_.push_back(std::move(kernel));
}

void Program::add_slot(KernelUseOf& kernel, std::size_t place) {
  const Slot& slot = kernel.node->bindings[place].slot();
  const Parameter& parameter = kernel.node->kernel->info().parameters[place];
  if (slot.number() >= slots_.size())
    base::fail(ErrorCode::invalid_argument, "kernel {} needs argument {}, but run() got {}",
               readable_name(*kernel.node->kernel), slot.number(), slots_.size());
  const bool array = (*values_)[slot.number()].element_bytes > 0;
  if (array && !parameter.pointer && parameter.source_type.ends_with('*'))
    base::fail(ErrorCode::invalid_argument,
               "argument {} is an array, but kernel {} never uses the memory that {} points to: no part of it can be"
               " found; leave both out",
               slot.number(), readable_name(*kernel.node->kernel), describe(*kernel.node->kernel, place));
  if (array != parameter.pointer)
    base::fail(ErrorCode::invalid_argument, "argument {} is {}, but kernel {} takes {} there", slot.number(),
               array ? "an array" : "a number", readable_name(*kernel.node->kernel),
               parameter.pointer ? "an array" : "a number");
  if (!array) return;
  // Before the array is cut: of elements of another size the kernel's blocks write no neighbours.
  const ElementType given = (*values_)[slot.number()].argument.element();
  if (given != parameter.element && given != ElementType::unknown && parameter.element != ElementType::unknown)
    base::fail(ErrorCode::invalid_argument,
               "{} takes {}, but argument {} is an array of {}; pass an array of the type that the kernel takes",
               describe(*kernel.node->kernel, place), name(parameter.element), slot.number(), name(given));
  SlotUse& use = slots_[slot.number()];
  if (!std::exchange(use.used, true)) use.overwritten = parameter.access == Access::write;
  use.resident = use.resident || slot.is_resident();
  if (slot.merge_operation() != Merge::none) {
    use.merged = &slot;
    return;
  }
  if (use.merged != nullptr) return;  // what an earlier kernel left in the part's own array
  if (slot.is_copy()) {
    use.copied = true;
    return;
  }
  kernel.per_thread[place] = partition(kernel, place, use);
}

std::uint64_t Program::partition(const KernelUseOf& kernel, std::size_t place, SlotUse& use) {
  const Node& node = *kernel.node;
  const Slot& slot = node.bindings[place].slot();
  const Parameter& parameter = node.kernel->info().parameters[place];
  std::uint64_t per_thread = slot.elements_per_thread();
  if (!node.sliced) {
    const std::uint64_t found = found_per_thread(node, place, (*values_)[slot.number()].element_bytes);
    if (found == 0 && !writes(parameter)) {  // it may read anything
      use.copied = true;
      return 0;
    }
    if (found == 0)
      base::fail(ErrorCode::invalid_argument,
                 "argument {} cannot be cut: the PTX does not show that the blocks of kernel {} write neighbouring "
                 "elements of it, each its own; give the kernel its part (arg({}).unit(...), size, offset), or merge "
                 "partial results",
                 slot.number(), readable_name(*node.kernel), slot.number());
    per_thread = found;
  }
  use.partitioned = true;
  use.written = use.written || writes(parameter);
  use.unit = std::lcm(use.unit, slot.unit_elements());
  use.has_unit = use.has_unit || slot.has_unit();
  return per_thread != 0 ? per_thread : node.options.per_thread;
}

void Program::check_swap(unsigned a, unsigned b) const {
  const auto refuse = [&](const std::string& why, const char* rule) {
    base::fail(ErrorCode::invalid_argument, "a loop swaps arguments {} and {}, but {}; {}", a, b, why, rule);
  };
  constexpr const char* alike = "arrays that a loop swaps have as many elements, of the same type";
  for (const unsigned slot : {a, b}) {
    if (slot >= counts_.size())
      refuse("run() got " + base::counted(counts_.size(), "argument"), "it swaps arrays that run() is given");
    if ((*values_)[slot].element_bytes == 0) refuse(fmt::format("argument {} is a number", slot), "it swaps arrays");
    if (counts_[slot] == 0)
      refuse(fmt::format("argument {} has no elements", slot), "arrays that a loop swaps have one element or more");
  }
  const Value &first = (*values_)[a], &second = (*values_)[b];
  if (first.count != second.count)
    refuse(fmt::format("argument {} has {} and argument {} has {}", a, base::counted(first.count, "element"), b,
                       second.count),
           alike);
  const ElementType one = first.argument.element(), other = second.argument.element();
  if (one != other && one != ElementType::unknown && other != ElementType::unknown)
    refuse(fmt::format("argument {} is an array of {} and argument {} of {}", a, name(one), b, name(other)), alike);
  if (first.element_bytes != second.element_bytes)
    refuse(fmt::format("the elements of argument {} have {} and those of argument {} have {}", a,
                       base::counted(first.element_bytes, "byte"), b, second.element_bytes),
           alike);
}

void Program::look_at_loops(const Node& node) {
  for (const auto& child : node.children) look_at_loops(*child);
  host_decides_ = host_decides_ || node.state.condition || node.state.update || node.state.global_sync;
  for (const auto& [a, b] : node.state.swap) {
    check_swap(a, b);
    const bool written = slots_[a].written || slots_[b].written;
    slots_[a].written = slots_[b].written = written;
    slots_[a].unit = slots_[b].unit = std::lcm(slots_[a].unit, slots_[b].unit);
    slots_[a].has_unit = slots_[b].has_unit = slots_[a].has_unit || slots_[b].has_unit;
    // Each is cut where the other is, so that both can be read by parts.
    slots_[a].partitioned = slots_[b].partitioned = slots_[a].partitioned || slots_[b].partitioned;
  }
}

// An array of which no unit is stated is cut where the others are: it has as many units as they.
void Program::find_units() {
  std::size_t units = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].partitioned && slots_[i].has_unit) units = std::max(units, counts_[i] / slots_[i].unit);
  if (units == 0) return;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].partitioned || slots_[i].has_unit || counts_[i] % units != 0) continue;
    slots_[i].unit = counts_[i] / units;
    slots_[i].has_unit = true;
  }
}

void Program::check_locality() const {
  if (has_global_sync(*root_)) return;
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].written && slots_[i].copied)
      base::fail(ErrorCode::invalid_argument,
                 "argument {} is written by parts, and read whole by another kernel of the tree: parts would need each "
                 "other's results; that takes a loop with global_sync",
                 i);
}

bool Program::aligned() const {
  return std::any_of(kernels_.begin(), kernels_.end(), [](const KernelUseOf& kernel) { return !kernel.sliced; });
}

knowledge::Workload Program::workload() const {
  std::size_t unit = 1;
  for (const SlotUse& use : slots_)
    if (use.partitioned) unit = std::max(unit, use.unit);
  knowledge::Workload made{.extents = {static_cast<double>(units_)}, .double_precision = double_precision_};
  if (unit > 1) made.extents.push_back(static_cast<double>(unit));
  return made;
}

void Program::check_count(const Node& root) const {
  const UsedArguments used = used_arguments(root);
  if (used.count < slots_.size() && !used.host_sees_all)
    base::fail(ErrorCode::invalid_argument, "the tree uses {}, but run() got {}", base::counted(used.count, "argument"),
               slots_.size());
}

void Program::check_blocks(const std::vector<Execution>& executions) const {
  unsigned most = 0;
  for (const Execution& execution : executions) most = std::max(most, execution.max_threads);
  for (const KernelUseOf& kernel : kernels_) {
    const KernelOptions& options = kernel.node->options;
    unsigned largest = std::max(options.block, options.cpu_block);
    for (const unsigned block : options.blocks) largest = std::max(largest, block);
    if (largest > most)
      base::fail(ErrorCode::invalid_argument, "kernel {} has blocks of {} threads; no device here has more than {}",
                 readable_name(*kernel.node->kernel), largest, most);
  }
}

unsigned Program::block_of(std::size_t kernel, const Execution& execution, const std::vector<unsigned>& groups) const {
  const KernelOptions& options = kernels_[kernel].node->options;
  unsigned block = kernel < groups.size() ? groups[kernel] : options.block;
  if (!execution.gpu && options.cpu_block != 0) block = options.cpu_block;
  return std::min(block, execution.max_threads);
}

std::vector<ArrayUse> Program::arrays(const Execution& execution, const std::vector<unsigned>& groups) const {
  std::vector<ArrayUse> list;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].partitioned) continue;
    ArrayUse array{fmt::format("argument {}", i), counts_[i], slots_[i].unit, {}};
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      const KernelUseOf& kernel = kernels_[k];
      for (std::size_t place = 0; place < kernel.per_thread.size(); ++place)
        if (kernel.per_thread[place] > 0 && kernel.node->bindings[place].slot().number() == i)
          array.kernels.push_back(
              {readable_name(*kernel.node->kernel), kernel.per_thread[place], block_of(k, execution, groups)});
    }
    list.push_back(std::move(array));
  }
  return list;
}

std::pair<std::size_t, std::size_t> Program::elements(unsigned slot, const Range& range) const {
  const SlotUse& use = slots_.at(slot);
  if (!use.partitioned) return {0, counts_[slot]};
  return {range.first * use.unit, range.count * use.unit};
}

}  // namespace heddle::skeleton
