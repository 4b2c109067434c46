// Reductions on the host: whether the caller's function fits the tree and the arguments of a run.
#include "base/fail.hpp"
#include "base/format.hpp"
#include "skeleton/node.hpp"

namespace heddle::skeleton {
namespace {

bool differ(ElementType a, ElementType b) { return a != b && a != ElementType::unknown && b != ElementType::unknown; }

void check_parameter(const ReductionInput& input, const Kernel& kernel, std::size_t place) {
  const Parameter& parameter = kernel.info().parameters[place];
  if (!parameter.pointer)
    base::fail(ErrorCode::invalid_argument,
               "the function of map_reduce takes argument {}, which is a number, {}; it takes arrays", input.slot,
               describe(kernel, place));
  if (differ(input.element, parameter.element))
    base::fail(ErrorCode::invalid_argument, "the function of map_reduce takes argument {} as {}, but {} takes {}",
               input.slot, name(input.element), describe(kernel, place), name(parameter.element));
}

}  // namespace

void bind_inputs(std::vector<ReductionInput>& inputs, const std::vector<unsigned>& slots, const Tree& tree,
                 bool has_function) {
  if (!has_function) base::fail(ErrorCode::invalid_argument, "the function of map_reduce is empty");
  if (slots.size() != inputs.size())
    base::fail(ErrorCode::invalid_argument,
               "the function of map_reduce takes {}, but is given {}; name an argument of run() for each array",
               base::counted(inputs.size(), "array"), base::counted(slots.size(), "slot"));
  const UsedArguments used = used_arguments(*tree.node());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].slot = slots[i];
    if (slots[i] >= used.count && !used.host_sees_all)
      base::fail(ErrorCode::invalid_argument, "the function of map_reduce takes argument {}, but the tree uses {}",
                 slots[i], base::counted(used.count, "argument"));
    for_each_kernel(*tree.node(), [&](const Node& node) {
      for (std::size_t place = 0; place < node.bindings.size(); ++place)
        if (const Binding& binding = node.bindings[place];
            binding.kind() == Binding::Kind::slot && binding.slot().number() == slots[i])
          check_parameter(inputs[i], *node.kernel, place);
    });
  }
}

void check_inputs(const std::vector<ReductionInput>& inputs, const std::vector<Value>& values) {
  for (const ReductionInput& input : inputs) {
    if (input.slot >= values.size())
      base::fail(ErrorCode::invalid_argument, "the function of map_reduce takes argument {}, but run() got {}",
                 input.slot, base::counted(values.size(), "argument"));
    const Value& value = values[input.slot];
    if (value.element_bytes == 0)
      base::fail(ErrorCode::invalid_argument,
                 "the function of map_reduce takes argument {}, which is a number; it takes arrays", input.slot);
    if (differ(input.element, value.argument.element()))
      base::fail(ErrorCode::invalid_argument,
                 "the function of map_reduce takes argument {} as {}, but it is an array of {}", input.slot,
                 name(input.element), name(value.argument.element()));
    if (input.element_bytes != value.element_bytes)
      base::fail(ErrorCode::invalid_argument,
                 "the function of map_reduce takes argument {} as elements of {}, but the elements of that array have "
                 "{}",
                 input.slot, base::counted(input.element_bytes, "byte"), value.element_bytes);
  }
}

}  // namespace heddle::skeleton
