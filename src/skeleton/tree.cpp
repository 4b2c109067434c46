// Builds trees, and refuses what does not fit together.
#include <fmt/format.h>

#include <algorithm>

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "skeleton/node.hpp"

namespace heddle::skeleton {
namespace {

bool writes(const Parameter& parameter) {
  return parameter.access == Access::write || parameter.access == Access::read_write ||
         parameter.access == Access::unknown;
}

std::string describe(const Kernel& kernel, std::size_t parameter) {
  const Parameter& shown = kernel.info().parameters[parameter];
  return fmt::format("parameter {} of kernel {}", shown.label.empty() ? shown.name : shown.label, kernel.name());
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

Tree tree_of(Node node) { return Tree(std::make_shared<const Node>(std::move(node))); }

}  // namespace

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
  Slot made = *this;
  made.merge_ = operation;
  return made;
}
Slot Slot::merge_bytes(std::vector<std::byte> neutral, MergeFunction function) const {
  Slot made = merge(Merge::function);
  made.neutral_ = std::move(neutral);
  made.function_ = std::move(function);
  return made;
}

Tree kernel_of(const Kernel& kernel, KernelOptions options, std::vector<Binding> bindings) {
  const std::size_t count = kernel.info().parameters.size();
  if (bindings.size() != count)
    base::fail(ErrorCode::invalid_argument, "kernel {} has {} parameters, but {} are bound", kernel.name(), count,
               bindings.size());
  if (options.block == 0 || options.per_thread == 0)
    base::fail(ErrorCode::invalid_argument,
               "kernel {}: a block has at least one thread, and a thread computes at least one element", kernel.name());
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
    base::fail(ErrorCode::invalid_argument, "a loop needs a number of iterations, or a condition");
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

bool has_global_sync(const Node& node) {
  return (node.kind == Node::Kind::loop && node.state.global_sync) ||
         std::any_of(node.children.begin(), node.children.end(),
                     [](const auto& child) { return has_global_sync(*child); });
}

std::string structure_of(const Node& node) {
  if (node.kind == Node::Kind::kernel) return node.kernel->name();
  std::string text;
  for (const auto& child : node.children) text += (text.empty() ? "" : ",") + structure_of(*child);
  static constexpr const char* names[] = {"kernel", "pipeline", "loop", "map", "map_reduce"};
  return fmt::format("{}({})", names[static_cast<int>(node.kind)], text);
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

std::span<const std::byte> LoopView::read_bytes(unsigned slot, std::size_t element_bytes) const {
  if (slot >= values_.size() || values_[slot].element_bytes != element_bytes)
    base::fail(ErrorCode::invalid_argument, "argument {} is no array of elements of {} bytes", slot, element_bytes);
  return values_[slot].read(ranges_.at(slot).first, ranges_.at(slot).second);
}

void LoopView::set_value(unsigned slot, const Argument& value) {
  if (slot >= values_.size() || values_[slot].element_bytes != 0)
    base::fail(ErrorCode::invalid_argument, "argument {} is no number", slot);
  if (values_[slot].argument.tag() != value.tag() || values_[slot].argument.value().size() != value.value().size())
    base::fail(ErrorCode::invalid_argument, "argument {} is a number of another type", slot);
  values_[slot].argument = value;
}

}  // namespace heddle::skeleton
