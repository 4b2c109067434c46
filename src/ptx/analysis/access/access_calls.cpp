// Calls in the pointer analysis: what is passed, what the called function does with it, what comes back.
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "ptx/analysis/access/access_solver.hpp"
#include "ptx/analysis/effects/calls.hpp"

namespace heddle::ptx::analysis {

using Kind = Source::Kind;

namespace {

// Where the addresses of strings lie among what is printed with a format; nullopt where it cannot be told.
std::optional<std::vector<std::int64_t>> strings_of_format(const Variable& format) {
  if (format.linkage != Linkage::internal || bit_width(format.type) != 8 || format.init.empty()) return std::nullopt;
  std::string text;
  for (const InitValue& value : format.init) {
    if (value.kind != InitValue::Kind::integer) return std::nullopt;
    text += static_cast<char>(value.bits);
  }
  std::vector<std::int64_t> strings;
  std::int64_t offset = 0;
  const auto take = [&](std::int64_t bytes) {
    const std::int64_t begin = (offset + bytes - 1) / bytes * bytes;
    offset = begin + bytes;
    return begin;
  };
  for (std::size_t at = text.find('%'); at < text.size(); at = text.find('%', at + 1)) {
    bool is_long = false;
    // Flags, width, precision and length come before the conversion's letter.
    for (++at; at < text.size() && std::strchr("-+ #0123456789.*hlLqjzt", text[at]) != nullptr && text[at] != 0; ++at) {
      if (text[at] == '*') take(4);
      is_long |= std::strchr("lLqjzt", text[at]) != nullptr;
    }
    if (at >= text.size()) break;
    switch (text[at]) {
      case 's':
      case 'S': strings.push_back(take(8)); break;
      case 'p': take(8); break;
      case '%': break;
      default: take(std::strchr("cdiouxX", text[at]) != nullptr && !is_long ? 4 : 8);
    }
  }
  return strings;
}

}  // namespace

std::vector<std::uint32_t> AccessSolver::callees(const Instruction& inst, bool& complete) const {
  complete = false;
  const Operand& callee = inst.operands[1];
  if (callee.kind == OperandKind::symbol) {
    complete = true;
    return {callee.symbol.index};
  }
  for (const Operand& operand : inst.operands) {
    if (operand.kind != OperandKind::table) continue;
    const Table& table = function_.tables[operand.index];
    if (table.kind != Table::Kind::call_targets) continue;
    complete = true;
    return table.targets;
  }
  return {};
}

PointerValue AccessSolver::argument(std::uint32_t i, std::uint32_t number, std::int64_t offset) {
  const Operand& list = function_.body[i].operands[2];
  if (number >= list.elements.size()) return {};
  const Operand& element = list.elements[number];
  if (element.kind == OperandKind::symbol && element.symbol.kind == SymbolRef::Kind::local_variable)
    return contents_.cell(element.symbol.index, offset);
  return value_of(i, element, 2, static_cast<std::uint16_t>(number));
}

PointerValue AccessSolver::whole_argument(std::uint32_t i, std::uint32_t number) {
  return argument(i, number, Source::any_offset);
}

void AccessSolver::set_result(std::uint32_t i, std::uint32_t number, std::int64_t offset, const PointerValue& value) {
  const Operand& list = function_.body[i].operands[0];
  if (number >= list.elements.size() || value.empty()) return;
  const Operand& element = list.elements[number];
  if (element.kind == OperandKind::symbol && element.symbol.kind == SymbolRef::Kind::local_variable)
    changed_ |= contents_.add_to_cell(element.symbol.index, offset, value);
  else
    define(i, 0, static_cast<std::uint16_t>(number), value);
}

void AccessSolver::call(std::uint32_t i) {
  bool complete = false;
  const auto targets = callees(function_.body[i], complete);
  if (!complete) return call_unknown(i, "the pointer is passed to a function that is called through a register");
  for (std::uint32_t target : targets) {
    const std::uint32_t body = definition_of(module_, target);
    if (!module_.functions[body].is_declaration)
      call_known(i, summaries_[body]);
    else if (!call_builtin(i, module_.functions[target].name))
      call_unknown(i, "the pointer is passed to a function without a body");
  }
}

// The format, and the strings whose addresses are among what is printed.
void AccessSolver::read_by_printf(std::uint32_t i) {
  const SourceSet formats = whole_argument(i, 0).targets(), buffers = whole_argument(i, 1).targets();
  SourceSet read;
  const auto read_cells = [&](std::int64_t offset) {
    for (const std::uint32_t buffer : buffers) {
      const Source& source = sources_[buffer];
      const bool known = offset != Source::any_offset && source.offset != Source::any_offset;
      if (source.kind == Kind::cell)
        read.insert(contents_.cell(source.index, known ? source.offset + offset : Source::any_offset).everything());
    }
  };
  if (formats.empty()) read_cells(Source::any_offset);
  for (const std::uint32_t number : formats) {
    const Source& source = sources_[number];
    const bool is_variable = source.kind == Kind::module_variable && source.index < module_.variables.size();
    const auto strings = is_variable ? strings_of_format(module_.variables[source.index]) : std::nullopt;
    if (strings) {
      for (const std::int64_t offset : *strings) read_cells(offset);
    } else {
      read_cells(Source::any_offset);
      read.insert(number);
    }
  }
  use(read, i, true, false, false);
}

bool AccessSolver::call_builtin(std::uint32_t i, const std::string& name) {
  if (name == "malloc") {
    PointerValue fresh;
    fresh.plain.insert(sources_.number({Kind::cell, heap_cell, Source::any_offset}));
    set_result(i, 0, 0, fresh);
    return true;
  }
  if (name == "vprintf") read_by_printf(i);
  if (name == "free") use(whole_argument(i, 0).targets(), i, false, true);
  return name == "vprintf" || name == "free" || name == "__assertfail";
}

void AccessSolver::call_unknown(std::uint32_t i, const char* why) {
  const Instruction& inst = function_.body[i];
  add_elsewhere(i, true, true, "a function is called that is not in the module");
  PointerValue anything;
  anything.plain.insert(sources_.number({Kind::elsewhere, 0, 0}));
  for (std::uint32_t k = 0; k < inst.operands[2].elements.size(); ++k) {
    const SourceSet passed = whole_argument(i, k).everything();
    escape(passed, i, why);
    for (std::uint32_t number : passed)  // it may hand back what it was given
      anything.plain.insert(number);
  }
  for (std::uint32_t k = 0; k < inst.operands[0].elements.size(); ++k) set_result(i, k, Source::any_offset, anything);
}

void AccessSolver::call_known(std::uint32_t i, const AccessSummary& callee) {
  PointerValue anything;
  anything.plain.insert(sources_.number({Kind::elsewhere, 0, 0}));
  if (callee.reads_elsewhere || callee.writes_elsewhere)
    add_elsewhere(i, callee.reads_elsewhere, callee.writes_elsewhere,
                  "a called function uses an address that is not followed");
  for (const auto& [source, use_there] : callee.uses) {
    SourceSet passed;
    if (source.kind == Kind::parameter) {
      const PointerValue value = argument(i, source.index, source.offset);
      passed = value.targets();
      if (passed.empty() && use_there.pointer)
        escape(value.derived, i, "the pointer is computed in a way that is not followed");
      if (use_there.in_addresses) changed_ |= uses_.add_in_addresses(value.everything(), at_);
    } else {
      passed.insert(sources_.number(source));
    }
    if (use_there.unknown)
      escape(passed, i, "the pointer is passed to a function that uses it in a way that is not followed");
    uses_.set_callee_use(&use_there);
    if (use_there.reads || use_there.writes)
      use(passed, i, use_there.reads, use_there.writes, use_there.pointer, use_there.alone);
    uses_.set_callee_use(nullptr);
    for (std::uint32_t number : passed)
      if (use_there.stored && sources_[number].kind == Kind::cell)
        changed_ |= contents_.add_to_cell(sources_[number].index, Source::any_offset, anything);
  }
  copy_by(i, callee);
  for (std::uint32_t k = 0; k < callee.returns.size(); ++k) {
    for (const auto& [offset, handed] : callee.returns[k]) {
      PointerValue value;
      for (const Source& source : handed) {
        if (source.kind == Kind::parameter)
          value.insert(argument(i, source.index, source.offset));
        else
          value.plain.insert(sources_.number(source));
      }
      set_result(i, k, offset, advance(value, std::nullopt));
    }
  }
}

// Pointers in memory that the called function copies: what it writes may hold them afterwards.
void AccessSolver::copy_by(std::uint32_t i, const AccessSummary& callee) {
  PointerValue copied;
  SourceSet written;
  bool written_elsewhere = callee.writes_elsewhere;
  for (const auto& [source, use_there] : callee.uses) {
    const bool is_parameter = source.kind == Kind::parameter;
    written_elsewhere |= use_there.writes && !is_parameter;
    if (!is_parameter || (!use_there.stored && !use_there.handed_on)) continue;
    for (const std::uint32_t number : argument(i, source.index, source.offset).targets()) {
      if (use_there.stored) written.insert(number);
      if (!use_there.handed_on) continue;
      changed_ |= uses_.add_handed_on(number);
      const Source from = sources_[number];
      if (from.kind == Kind::cell) copied.plain.insert(contents_.cell(from.index, Source::any_offset).everything());
      if (from.kind == Kind::parameter_cell)
        copied.plain.insert(contents_.parameter_field(from.index, Source::any_offset).everything());
      if (from.kind == Kind::shared) copied.plain.insert(contents_.shared().everything());
    }
  }
  changed_ |= uses_.add_stored(written);
  if (copied.empty()) return;
  for (const std::uint32_t number : written) {
    const Source to = sources_[number];
    if (to.kind == Kind::cell)
      changed_ |= contents_.add_to_cell(to.index, Source::any_offset, copied);
    else if (to.kind == Kind::shared)
      changed_ |= contents_.add_to_shared(copied);
    else
      written_elsewhere = true;
  }
  if (written_elsewhere) escape(copied.plain, i, "a called function copies the pointer to memory");
}

}  // namespace heddle::ptx::analysis
