// Builds trees, and refuses what does not fit together.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/hash.hpp"
#include "base/kernel_name.hpp"
#include "skeleton/node.hpp"

namespace heddle::skeleton {
namespace {

bool writes(const Parameter& parameter) {
  return parameter.access == Access::write || parameter.access == Access::read_write ||
         parameter.access == Access::unknown;
}

void check_slot(const Kernel& kernel, std::size_t place, const Slot& slot) {
  const Parameter& parameter = kernel.info().parameters[place];
  if (!parameter.pointer) {
    if (slot.is_copy() || slot.has_unit() || slot.is_resident() || slot.merge_operation() != Merge::none)
      base::fail(ErrorCode::invalid_argument,
                 "{} is a number; only arrays have units, copies and merged results, or are resident",
                 describe(kernel, place));
    return;
  }
  if (slot.element() != ElementType::unknown && parameter.element != ElementType::unknown &&
      slot.element() != parameter.element)
    base::fail(ErrorCode::invalid_argument, "{} takes {}, but argument {} is of {}", describe(kernel, place),
               name(parameter.element), slot.number(), name(slot.element()));
  if (slot.is_copy() && slot.merge_operation() == Merge::none && writes(parameter))
    base::fail(ErrorCode::invalid_argument,
               "{} is written, so the parts' copies of argument {} would differ; say how they are merged, or let it be "
               "partitioned",
               describe(kernel, place), slot.number());
  if (slot.unit_elements() == 0)
    base::fail(ErrorCode::invalid_argument, "the partitioning unit of argument {} has no elements", slot.number());
}

void check_binding(const Kernel& kernel, std::size_t place, const Binding& binding) {
  const Parameter& parameter = kernel.info().parameters[place];
  if (binding.kind() == Binding::Kind::slot) return check_slot(kernel, place, binding.slot());
  if (parameter.pointer)
    base::fail(ErrorCode::invalid_argument, "{} is a pointer; it takes an argument of run(), as arg(0)",
               describe(kernel, place));
  if (binding.kind() == Binding::Kind::trait && parameter.size != 4 && parameter.size != 8)
    base::fail(ErrorCode::invalid_argument, "{} has {} bytes; sizes and offsets need 4 or 8", describe(kernel, place),
               parameter.size);
}

bool is_sliced(const std::vector<Binding>& bindings) {
  return std::any_of(bindings.begin(), bindings.end(), [](const Binding& binding) {
    return (binding.kind() == Binding::Kind::trait && binding.trait() != Trait::total) ||
           (binding.kind() == Binding::Kind::slot && binding.slot().has_unit());
  });
}

// Trees are evaluated and destroyed by recursion, on stacks of any thread.
constexpr unsigned most_levels = 1000;

Tree tree_of(Node node) {
  for (const auto& child : node.children) node.levels = std::max(node.levels, child->levels + 1);
  if (node.levels > most_levels)
    base::fail(ErrorCode::unsupported, "the tree would have {} levels; there can be {}", node.levels, most_levels);
  return Tree(std::make_shared<const Node>(std::move(node)));
}

void append_structure(std::string& text, const Node& node) {
  if (node.kind == Node::Kind::kernel) {
    text += node.kernel->name();
    return;
  }
  static constexpr const char* names[] = {"kernel", "pipeline", "loop", "map", "map_reduce"};
  text += names[static_cast<int>(node.kind)];
  char before = '(';
  for (const auto& child : node.children) {
    text += std::exchange(before, ',');
    append_structure(text, *child);
  }
  text += ')';
}

}  // namespace

std::string describe(const Kernel& kernel, std::size_t parameter) {
  const Parameter& shown = kernel.info().parameters[parameter];
  return fmt::format("parameter {} of kernel {}", shown.label.empty() ? shown.name : shown.label,
                     readable_name(kernel));
}

std::string readable_name(const Kernel& kernel) { return base::demangled(kernel.name()); }

Slot Slot::unit(std::size_t elements) const {
  Slot made = *this;
  made.unit_ = elements;
  made.has_unit_ = true;
  return made;
}
Slot Slot::per_thread(unsigned elements) const {
  Slot made = *this;
  made.per_thread_ = elements;
  return made;
}
Slot Slot::copy() const {
  Slot made = *this;
  made.copy_ = true;
  return made;
}
Slot Slot::resident() const {
  Slot made = *this;
  made.resident_ = true;
  return made;
}
Slot Slot::merge(Merge operation) const {
  if (operation == Merge::function)
    base::fail(ErrorCode::invalid_argument,
               "the results in argument {} are merged by a function, which is empty; merge(neutral, function) takes "
               "one",
               number_);
  if (operation > Merge::function)
    base::fail(ErrorCode::invalid_argument,
               "operation {} merges the results in argument {}, which is unknown; there are add, "
               "subtract, multiply and divide",
               static_cast<unsigned>(operation), number_);
  Slot made = *this;
  made.merge_ = operation;
  return made;
}
Slot Slot::merge_bytes(std::vector<std::byte> neutral, MergeFunction function, ElementType element) const {
  if (!function)
    base::fail(ErrorCode::invalid_argument, "the function that merges the results in argument {} is empty", number_);
  Slot made = *this;
  made.merge_ = Merge::function;
  if (element != ElementType::unknown) made.element_ = element;
  made.neutral_ = std::move(neutral);
  made.function_ = std::move(function);
  return made;
}

Tree kernel_of(const Kernel& kernel, KernelOptions options, std::vector<Binding> bindings) {
  const std::size_t count = kernel.info().parameters.size();
  if (bindings.size() != count)
    base::fail(ErrorCode::invalid_argument, "kernel {} has {} parameters, but {} are bound", readable_name(kernel),
               count, bindings.size());
  if (options.block == 0 || options.per_thread == 0 || std::ranges::count(options.blocks, 0U) != 0)
    base::fail(ErrorCode::invalid_argument,
               "kernel {}: a block has at least one thread, and a thread computes at least one element",
               readable_name(kernel));
  for (std::size_t i = 0; i < count; ++i) check_binding(kernel, i, bindings[i]);
  Node node{
      .kind = Node::Kind::kernel, .kernel = std::make_shared<const Kernel>(kernel), .options = std::move(options)};
  node.sliced = is_sliced(bindings);
  node.bindings = std::move(bindings);
  return tree_of(std::move(node));
}

Tree pipeline_of(std::vector<Tree> stages) {
  if (stages.empty()) base::fail(ErrorCode::invalid_argument, "a pipeline needs at least one stage");
  Node node{.kind = Node::Kind::pipeline};
  for (const Tree& stage : stages) node.children.push_back(stage.node());
  return tree_of(std::move(node));
}

Tree loop(const Tree& body, LoopState state) {
  if (state.iterations == 0 && !state.condition)
    base::fail(ErrorCode::invalid_argument, "a loop needs a number of iterations from 1 on, or a condition");
  return tree_of({.kind = Node::Kind::loop, .children = {body.node()}, .state = std::move(state)});
}

Tree map(const Tree& tree) { return tree_of({.kind = Node::Kind::map, .children = {tree.node()}}); }

Tree map_reduce(const Tree& map_stage, const Tree& reduction) {
  for_each_kernel(*reduction.node(), [](const Node& node) {
    for (std::size_t i = 0; i < node.bindings.size(); ++i) {
      const Binding& binding = node.bindings[i];
      const Parameter& parameter = node.kernel->info().parameters[i];
      if (binding.kind() == Binding::Kind::slot && parameter.pointer && writes(parameter) &&
          binding.slot().merge_operation() == Merge::none)
        base::fail(
            ErrorCode::invalid_argument,
            "each part has a result of the reduction in argument {}; say how they are merged: arg({}).merge(...)",
            binding.slot().number(), binding.slot().number());
    }
  });
  return tree_of({.kind = Node::Kind::map_reduce, .children = {map_stage.node(), reduction.node()}});
}

void for_each_kernel(const Node& node, const std::function<void(const Node&)>& visit) {
  if (node.kind == Node::Kind::kernel) visit(node);
  for (const auto& child : node.children) for_each_kernel(*child, visit);
}

UsedArguments used_arguments(const Node& node) {
  UsedArguments used;
  used.host_sees_all = node.state.condition || node.state.update;
  for (const Binding& binding : node.bindings)
    if (binding.kind() == Binding::Kind::slot)
      used.count = std::max<std::size_t>(used.count, std::size_t{binding.slot().number()} + 1);
  for (const auto& [a, b] : node.state.swap)
    used.count = std::max({used.count, std::size_t{a} + 1, std::size_t{b} + 1});
  for (const auto& child : node.children) {
    const UsedArguments below = used_arguments(*child);
    used.count = std::max(used.count, below.count);
    used.host_sees_all = used.host_sees_all || below.host_sees_all;
  }
  return used;
}

bool has_global_sync(const Node& node) {
  return (node.kind == Node::Kind::loop && node.state.global_sync) ||
         std::any_of(node.children.begin(), node.children.end(),
                     [](const auto& child) { return has_global_sync(*child); });
}

std::string structure_of(const Node& node) {
  std::string text;
  append_structure(text, node);
  return text;
}

std::string Tree::name() const {
  base::Sha256 hash;
  std::string structure = structure_of(*node_);
  hash.add_field(structure);
  for_each_kernel(*node_, [&](const Node& node) {
    const KernelInfo& info = node.kernel->info();
    hash.add_field(fmt::format("{} {} {} {} {} {} {}", info.signature, info.registers, info.shared_bytes, info.barriers,
                               info.atomics, node.options.per_thread, node.state.iterations));
  });
  return fmt::format("{} {}", structure, hash.hex().substr(0, 12));
}

// The argument that a function of a loop names, which has to be an array or a number.
const Value& LoopView::argument(unsigned slot, bool array) const {
  if (slot >= values_.size())
    base::fail(ErrorCode::invalid_argument, "a loop's function {} argument {}, but run() got {}",
               array ? "reads" : "sets", slot, base::counted(values_.size(), "argument"));
  const Value& found = values_[slot];
  if (array && found.element_bytes == 0)
    base::fail(ErrorCode::invalid_argument, "a loop's function reads argument {}, which is a number; it reads arrays",
               slot);
  if (!array && found.element_bytes != 0)
    base::fail(ErrorCode::invalid_argument, "a loop's function sets argument {}, which is an array; it sets numbers",
               slot);
  return found;
}

std::span<const std::byte> LoopView::read_bytes(unsigned slot, std::size_t element_bytes) const {
  const Value& array = argument(slot, true);
  if (array.element_bytes != element_bytes)
    base::fail(ErrorCode::invalid_argument,
               "a loop's function reads argument {} as elements of {}, but the elements of that array have {}", slot,
               base::counted(element_bytes, "byte"), array.element_bytes);
  return array.read(ranges_.at(slot).first, ranges_.at(slot).second);
}

void LoopView::set_value(unsigned slot, const Argument& value) {
  const Argument& old = argument(slot, false).argument;
  if (old.tag() != value.tag() || old.value().size() != value.value().size()) {
    const auto shown = [](const Argument& number) {
      return fmt::format("{} of {}",
                         number.kind() == Argument::Kind::floating ? "a floating-point number" : "an integer",
                         base::counted(number.value().size(), "byte"));
    };
    base::fail(ErrorCode::invalid_argument, "a loop's function sets argument {} to {}, but run() got {} there", slot,
               shown(value), shown(old));
  }
  values_[slot].argument = value;
}

}  // namespace heddle::skeleton
