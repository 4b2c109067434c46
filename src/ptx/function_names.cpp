#include "ptx/function_names.hpp"

#include <utility>

#include "ptx/special_register.hpp"

namespace heddle::ptx {
namespace {

constexpr std::size_t most_digits = 10;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Special registers with a number at the end: %pm0, %envreg31, %clock64, %pm0_64, %reserved_smem_offset_0.
bool may_be_special(std::string_view prefix) {
  for (std::string_view first : {"%pm", "%env", "%clo", "%res"})
    if (prefix.substr(0, first.size()) == first) return true;
  return false;
}

}  // namespace

void FunctionNames::begin(Function& function) {
  function_ = &function;
  names_.clear();
  range_names_.clear();
  unique_.clear();
  singles_.clear();
  ranges_.clear();
  vectors_.clear();
  labels_.clear();
  for (auto& labels : scope_labels_) labels.clear();
  kept_.clear();
  nested_ranges_ = false;
  quick_ = true;
  quick_budget_ = text_size_;
  open();
}

void FunctionNames::open() {
  names_.open();
  range_names_.open();
  if (scope_labels_.size() < names_.depth()) scope_labels_.emplace_back();
}

// Labels that were used but not defined in the scope belong to a scope around it.
void FunctionNames::close() {
  auto& inner = scope_labels_[names_.depth() - 1];
  names_.close();
  range_names_.close();
  for (std::uint32_t index : inner) {
    if (labels_[index].defined) continue;
    const Label pending = labels_[index];
    const std::uint32_t outer = label(pending.name, pending.line, pending.column);
    if (outer != no_label) labels_[index].target = outer;
    // Something else has the name there: the label will be reported as undefined.
    else
      scope_labels_[0].push_back(index);
  }
  inner.clear();
}

FunctionNames::Found FunctionNames::find(std::string_view name) {
  Found found;
  if (quick_ && find_quickly(name, found)) return found;
  const std::uint32_t hash = hash_text(name);
  Binding* binding = names_.find(name, hash);
  if (binding == nullptr || nested_ranges_) {
    if (Binding* ranged = find_in_range(name, hash, binding == nullptr ? 0 : binding->depth)) binding = ranged;
  }
  if (binding == nullptr) {
    const Binding* global = module_names_.find(name, hash);
    return global == nullptr ? Found{} : Found{global->kind, global->index};
  }
  if (binding->kind == NameKind::lazy_reg) {
    const std::uint32_t reg = make_register(name, singles_[binding->index].type);
    binding = names_.find(name, hash);
    binding->index = reg;
    binding->kind = NameKind::reg;
  }
  return {binding->kind, binding->index};
}

// Most names are %r17 of some %r<100>. While no other name can be taken for one of these (quick_), they are found by
// their number, without entries in the tables of names.
bool FunctionNames::find_quickly(std::string_view name, Found& found) {
  if (name[0] != '%' || !is_digit(name.back())) return false;
  std::size_t prefix_length = name.size();
  std::uint64_t number = 0, place = 1;
  while (is_digit(name[prefix_length - 1])) {
    number += place * static_cast<std::uint64_t>(name[--prefix_length] - '0');
    place *= 10;
    if (name.size() - prefix_length == most_digits) return false;
  }
  if (name[prefix_length] == '0' && name.size() - prefix_length > 1) return false;
  const std::string_view prefix = name.substr(0, prefix_length);
  const Binding* binding = range_names_.find(prefix, hash_text(prefix));
  if (binding == nullptr) return false;
  Range& range = ranges_[binding->index];
  if (number >= range.count || range.width != 1 || range.may_be_special) return false;
  if (number >= range.made.size()) {
    const std::uint64_t more = number + 1 - range.made.size();
    if (more > quick_budget_) return false;
    quick_budget_ -= more;
    range.made.resize(number + 1, Function::no_register);
  }
  std::uint32_t& reg = range.made[number];
  if (reg == Function::no_register) {
    reg = static_cast<std::uint32_t>(function_->registers.size());
    function_->registers.push_back({std::string(name), range.type});
  }
  found = {NameKind::reg, reg};
  return true;
}

// Enters the registers that were found by their number into the tables of names. All their ranges have depth 1.
void FunctionNames::end_quick() {
  if (!quick_) return;
  quick_ = false;
  for (Range& range : ranges_) {
    for (std::uint32_t reg : range.made) {
      if (reg == Function::no_register) continue;
      const std::string_view name = keep(function_->registers[reg].name);
      const std::uint32_t hash = hash_text(name);
      unique_.take(name, hash);
      names_.bind_at(1, name, hash, NameKind::reg, reg);
    }
    range.made.clear();
  }
}

// A name that could be taken for a numbered register ends the quick way.
void FunctionNames::see(std::string_view name) {
  if (quick_ && name[0] == '%' && is_digit(name.back())) end_quick();
}

// name = prefix and number of a prefix<count> declared in a scope deeper than `minimum_depth`. Binds it.
Binding* FunctionNames::find_in_range(std::string_view name, std::uint32_t hash, std::uint32_t minimum_depth) {
  std::size_t prefix_length = name.size();
  while (prefix_length > 1 && is_digit(name[prefix_length - 1])) --prefix_length;
  // The prefix itself may end in digits (x1<4> declares x10 to x13), so each split is tried, longest number first.
  for (; prefix_length < name.size(); ++prefix_length) {
    if (name.size() - prefix_length > most_digits) continue;
    const std::string_view prefix = name.substr(0, prefix_length);
    const Binding* binding = range_names_.find(prefix, hash_text(prefix));
    std::uint32_t range = binding == nullptr ? no_range : binding->index;
    std::uint64_t number = 0;
    for (char c : name.substr(prefix_length)) number = number * 10 + static_cast<std::uint64_t>(c - '0');
    // An inner range hides only the numbers that it has.
    while (range != no_range && number >= ranges_[range].count) range = ranges_[range].hidden;
    if (range == no_range || ranges_[range].depth <= minimum_depth) continue;
    bind_numbered(name, hash, prefix, number, range);
    return names_.find(name, hash);
  }
  return nullptr;
}

void FunctionNames::bind_numbered(std::string_view name, std::uint32_t hash, std::string_view prefix,
                                  std::uint64_t number, std::uint32_t range) {
  const Type type = ranges_[range].type;
  const std::uint8_t width = ranges_[range].width;
  const std::uint32_t depth = ranges_[range].depth;
  if (name[prefix.size()] == '0' && name.size() > prefix.size() + 1) {  // %r01 is %r1
    const Found same = find(keep(std::string(prefix) + std::to_string(number)));
    names_.bind_at(depth, name, hash, same.kind, same.index);
  } else if (width == 1) {
    const std::uint32_t reg = make_register(name, type);
    names_.bind_at(depth, name, hash, NameKind::reg, reg);
  } else {
    names_.bind_at(depth, name, hash, NameKind::vector_reg, static_cast<std::uint32_t>(vectors_.size()));
    vectors_.push_back({name, type, width});
  }
}

bool FunctionNames::declare(std::string_view name, NameKind kind, std::uint32_t index) {
  see(name);
  const std::uint32_t hash = hash_text(name);
  const Binding* known = names_.find(name, hash);
  if (known != nullptr && known->depth == names_.depth()) return false;
  names_.bind(name, hash, kind, index);
  return true;
}

bool FunctionNames::declare_register(std::string_view name, Type type) {
  singles_.push_back({type});
  return declare(name, NameKind::lazy_reg, static_cast<std::uint32_t>(singles_.size() - 1));
}

bool FunctionNames::declare_vector(std::string_view name, Type type, std::uint8_t width) {
  vectors_.push_back({name, type, width});
  return name == "_" || declare(name, NameKind::vector_reg, static_cast<std::uint32_t>(vectors_.size() - 1));
}

bool FunctionNames::declare_range(std::string_view name, Type type, std::uint8_t width, std::uint64_t count) {
  const std::uint32_t hash = hash_text(name);
  const Binding* known = range_names_.find(name, hash);
  if (known != nullptr && known->depth == range_names_.depth()) return false;
  if (range_names_.depth() > 1) nested_ranges_ = true;
  see(name);  // x<20> and x1<4> have names in common
  if (nested_ranges_ || unique_.has_made_names()) end_quick();
  const std::uint32_t hidden = known != nullptr ? known->index : no_range;
  range_names_.bind(name, hash, NameKind::lazy_reg, static_cast<std::uint32_t>(ranges_.size()));
  ranges_.push_back({type, width, count, range_names_.depth(), hidden, may_be_special(name), {}});
  return true;
}

std::uint32_t FunctionNames::make_register(std::string_view wanted, Type type) {
  const std::string_view name = unique(wanted);
  function_->registers.push_back({std::string(name), type});
  return static_cast<std::uint32_t>(function_->registers.size() - 1);
}

std::uint32_t FunctionNames::component(std::uint32_t vector, unsigned i) {
  Vector& v = vectors_[vector];
  if (v.registers[i] == Function::no_register)
    v.registers[i] = make_register(keep(std::string(v.name) + "_" + "xyzw"[i]), v.type);
  return v.registers[i];
}

std::string_view FunctionNames::unique(std::string_view wanted) {
  see(wanted);
  const std::uint32_t hash = hash_text(wanted);
  // Special registers may be hidden in an inner scope, but not in the flattened function.
  const bool reserved = (wanted[0] == '%' || wanted[0] == 'W') && is_reserved(wanted);
  // A made name must differ from those of numbered registers too: x_1 may be one of x_<4>.
  if (quick_ && (reserved || unique_.contains(wanted, hash))) {
    const std::string prefix = std::string(wanted) + "_";
    if (range_names_.find(prefix, hash_text(prefix)) != nullptr) end_quick();
  }
  std::string_view name = unique_.take(wanted, hash);
  while (reserved && is_reserved(name)) name = unique_.take(wanted, hash);
  return name;
}

std::uint32_t FunctionNames::label(std::string_view name, std::uint32_t line, std::uint32_t column) {
  const std::uint32_t hash = hash_text(name);
  const Binding* known = names_.find(name, hash);
  if (known != nullptr && known->depth == names_.depth())
    return known->kind == NameKind::label ? known->index : no_label;
  see(name);
  const auto index = static_cast<std::uint32_t>(labels_.size());
  labels_.push_back({name, line, column});
  names_.bind(name, hash, NameKind::label, index);
  scope_labels_[names_.depth() - 1].push_back(index);
  return index;
}

bool FunctionNames::define_label(std::uint32_t label) {
  Label& pending = labels_[label];
  if (pending.defined) return false;
  pending.defined = true;
  pending.target = static_cast<std::uint32_t>(function_->labels.size());
  function_->labels.push_back({std::string(unique(pending.name)), static_cast<std::uint32_t>(function_->body.size())});
  return true;
}

const FunctionNames::Label* FunctionNames::undefined_label() const {
  for (std::uint32_t index : scope_labels_[0])
    if (!labels_[index].defined) return &labels_[index];
  return nullptr;
}

std::uint32_t FunctionNames::resolved(std::uint32_t label) {
  std::uint32_t last = label;
  while (!labels_[last].defined) last = labels_[last].target;
  while (label != last) label = std::exchange(labels_[label].target, last);  // the next one finds it at once
  return labels_[last].target;
}

}  // namespace heddle::ptx
