#include "ptx/rewrite/body_editor.hpp"

#include <algorithm>
#include <numeric>

namespace heddle::ptx {
namespace {

template <class F>
bool any_name(const Function& function, F&& matches) {
  const auto named = [&](const auto& item) { return matches(item.name); };
  return matches(function.name) || std::any_of(function.registers.begin(), function.registers.end(), named) ||
         std::any_of(function.labels.begin(), function.labels.end(), named) ||
         std::any_of(function.variables.begin(), function.variables.end(), named) ||
         std::any_of(function.tables.begin(), function.tables.end(), named) ||
         std::any_of(function.parameters.begin(), function.parameters.end(), named) ||
         std::any_of(function.returns.begin(), function.returns.end(), named);
}

void rename_labels(Operand& operand, const std::vector<std::uint32_t>& numbers) {
  if (operand.kind == OperandKind::label) operand.index = numbers[operand.index];
  for (Operand& element : operand.elements) rename_labels(element, numbers);
}

}  // namespace

std::string unused_stem(const Module& module) {
  for (unsigned number = 0;; ++number) {
    const std::string stem = "heddle" + (number == 0 ? std::string() : std::to_string(number)) + "_";
    const auto matches = [&](const std::string& name) { return name.find(stem) != std::string::npos; };
    const auto named = [&](const auto& item) { return matches(item.name); };
    const bool used = std::any_of(module.variables.begin(), module.variables.end(), named) ||
                      std::any_of(module.aliases.begin(), module.aliases.end(), named) ||
                      std::any_of(module.functions.begin(), module.functions.end(),
                                  [&](const Function& function) { return any_name(function, matches); });
    if (!used) return stem;
  }
}

BodyEditor::BodyEditor(Function& function, std::string_view stem)
    : function_(function), stem_(stem), old_(std::move(function.body)), old_labels_(function.labels.size()) {
  constexpr std::size_t room = 32;
  new_.reserve(old_.size() + room);
  places_.reserve(old_.size() + 1);
}

bool BodyEditor::reaches_end() const {
  const auto at_end = [&](const Label& label) { return label.position == old_.size(); };
  return old_.empty() || !old_.back().is_terminator() ||
         std::any_of(function_.labels.begin(), function_.labels.begin() + static_cast<std::ptrdiff_t>(old_labels_),
                     at_end);
}

void BodyEditor::begin(std::size_t index) {
  places_.push_back(static_cast<std::uint32_t>(new_.size()));
  if (index < old_.size()) where_ = old_[index].where;
}

void BodyEditor::emit(Instruction inst) { new_.push_back(std::move(inst)); }

void BodyEditor::emit(Opcode opcode, std::initializer_list<Modifier> modifiers, std::vector<Operand> operands) {
  new_.push_back(make_instruction(opcode, modifiers, std::move(operands)));
  new_.back().where = where_;
}

void BodyEditor::emit_if(std::uint32_t predicate, bool wanted, Instruction inst) {
  inst.guard = {true, !wanted, predicate};
  inst.where = where_;
  new_.push_back(std::move(inst));
}

std::uint32_t BodyEditor::add_register(Type type) {
  function_.registers.push_back({"%" + stem_ + std::to_string(names_++), type});
  return static_cast<std::uint32_t>(function_.registers.size() - 1);
}

std::uint32_t BodyEditor::compute(Type type, Opcode opcode, std::initializer_list<Modifier> modifiers,
                                  std::vector<Operand> sources) {
  const std::uint32_t result = add_register(type);
  sources.insert(sources.begin(), Operand::make_reg(result));
  emit(opcode, modifiers, std::move(sources));
  return result;
}

std::uint32_t BodyEditor::read(SpecialRegister special) {
  Operand operand;
  operand.kind = OperandKind::special;
  operand.special = special;
  return compute(Type::b32, Opcode::mov, {modifier_of(Type::u32)}, {operand});
}

std::uint32_t BodyEditor::add_label() {
  function_.labels.push_back({"$" + stem_ + std::to_string(names_++), 0});
  new_labels_.push_back(0);
  return static_cast<std::uint32_t>(function_.labels.size() - 1);
}

void BodyEditor::place(std::uint32_t label) {
  new_labels_[label - old_labels_] = static_cast<std::uint32_t>(new_.size());
}

void BodyEditor::add_pragma(std::string text) {
  new_pragmas_.push_back({std::move(text), static_cast<std::uint32_t>(new_.size())});
}

// Labels stand in the order of their places, which the printer counts on.
void BodyEditor::sort_labels() {
  std::vector<Label>& labels = function_.labels;
  const auto before = [](const Label& a, const Label& b) { return a.position < b.position; };
  if (std::is_sorted(labels.begin(), labels.end(), before)) return;
  std::vector<std::uint32_t> order(labels.size()), numbers(labels.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return before(labels[a], labels[b]); });
  std::vector<Label> sorted;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    numbers[order[i]] = i;
    sorted.push_back(std::move(labels[order[i]]));
  }
  labels = std::move(sorted);
  for (Instruction& inst : function_.body)
    for (Operand& operand : inst.operands) rename_labels(operand, numbers);
  for (Table& table : function_.tables)
    if (table.kind == Table::Kind::branch_targets)
      for (std::uint32_t& target : table.targets) target = numbers[target];
}

void BodyEditor::finish() {
  function_.body = std::move(new_);
  for (std::size_t i = 0; i < old_labels_; ++i) function_.labels[i].position = places_[function_.labels[i].position];
  for (std::size_t i = 0; i < new_labels_.size(); ++i) function_.labels[old_labels_ + i].position = new_labels_[i];
  for (Table& table : function_.tables) table.position = places_[table.position];
  for (Pragma& pragma : function_.pragmas) pragma.position = places_[pragma.position];
  function_.pragmas.insert(function_.pragmas.end(), new_pragmas_.begin(), new_pragmas_.end());
  std::stable_sort(function_.pragmas.begin(), function_.pragmas.end(),
                   [](const Pragma& a, const Pragma& b) { return a.position < b.position; });
  sort_labels();
}

}  // namespace heddle::ptx
