#include "ptx/rewrite/twin_body.hpp"

#include <algorithm>
#include <string>

#include "ptx/decode.hpp"

namespace heddle::ptx {
namespace {

void shift_labels(Operand& operand, std::uint32_t by) {
  if (operand.kind == OperandKind::label) operand.index += by;
  for (Operand& element : operand.elements) shift_labels(element, by);
}

bool reaches_end(const Function& function) {
  return function.body.empty() || !function.body.back().is_terminator() || function.body.back().guard.present ||
         std::any_of(function.labels.begin(), function.labels.end(),
                     [&](const Label& label) { return label.position == function.body.size(); });
}

}  // namespace

std::uint32_t append_twin(Function& function, std::string_view stem) {
  if (reaches_end(function)) function.body.push_back(make_instruction(Opcode::ret, {}, {}));
  const auto size = static_cast<std::uint32_t>(function.body.size());
  const auto labels = static_cast<std::uint32_t>(function.labels.size());
  const std::string suffix = "__" + std::string(stem) + "twin";
  // Of the copy: the label of its beginning, then the others in order.
  function.labels.push_back({"$" + std::string(stem) + "twin", size});
  for (std::uint32_t l = 0; l < labels; ++l)
    function.labels.push_back({function.labels[l].name + suffix, function.labels[l].position + size});
  function.body.reserve(2 * std::size_t{size});
  for (std::uint32_t i = 0; i < size; ++i) {
    Instruction copy = function.body[i];
    for (Operand& operand : copy.operands) shift_labels(operand, labels + 1);
    function.body.push_back(std::move(copy));
  }
  const std::size_t pragmas = function.pragmas.size();
  for (std::size_t p = 0; p < pragmas; ++p)
    function.pragmas.push_back({function.pragmas[p].text, function.pragmas[p].position + size});
  return labels;
}

}  // namespace heddle::ptx
