#include "ptx/printer.hpp"

#include <algorithm>
#include <charconv>

#include "ptx/printer_impl.hpp"

namespace heddle::ptx {

std::string print(const Module& module) {
  Printer printer(module);
  printer.module();
  return printer.take();
}

std::string print(const Module& module, const Function& function, const Instruction& inst) {
  Printer printer(module);
  printer.instruction(function, inst);
  return printer.take();
}

void Printer::module() {
  header();
  declarations();
  for (std::size_t i = 0; i < module_.functions.size(); ++i) define(i);
  for (const Alias& alias : module_.aliases) {
    text(".alias ");
    text(alias.name);
    text(", ");
    text(alias.target);
    text(";\n");
  }
  for (const SourceFile& file : module_.files) {
    text(".file ");
    number(file.index);
    text(" \"");
    text(file.name);
    text("\"");
    for (const auto& part : {file.timestamp, file.size}) {
      if (!part) break;
      text(", ");
      number(*part);
    }
    text("\n");
  }
  text(module_.sections);
}

void Printer::header() {
  // Text older than the directive goes without it where the registers tell the same, since a newer version might no
  // longer allow what the text has.
  const bool directive = has_address_size_directive(module_) || module_.address_size != used_address_size(module_);
  const bool newer = directive && !has_address_size_directive(module_);
  text(".version ");
  number(newer ? 2 : module_.version_major);
  text(".");
  number(newer ? 3 : module_.version_minor);
  text("\n.target ");
  for (std::size_t i = 0; i < module_.targets.size(); ++i) {
    if (i != 0) text(", ");
    text(module_.targets[i]);
  }
  text("\n");
  if (directive) {
    text(".address_size ");
    number(module_.address_size);
    text("\n");
  }
  for (const std::string& pragma : module_.module_pragmas) {
    text(".pragma \"");
    text(pragma);
    text("\";\n");
  }
}

// Variables, with the functions that their initialisers name declared before them.
void Printer::declarations() {
  for (const Variable& variable : module_.variables) {
    for (const InitValue& value : variable.init)
      if ((value.kind == InitValue::Kind::symbol || value.kind == InitValue::Kind::generic_symbol) &&
          value.symbol.kind == SymbolRef::Kind::function)
        introduce_up_to(value.symbol.index);
    module_variable(variable);
  }
}

void Printer::number(std::uint64_t value) {
  char buffer[24];
  out_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void Printer::signed_number(std::int64_t value) {
  // The least value has no positive counterpart to put a minus before.
  if (value == INT64_MIN) return text("0x8000000000000000");
  char buffer[24];
  out_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void Printer::hex(std::uint64_t value, unsigned digits) {
  constexpr char symbols[] = "0123456789ABCDEF";
  for (unsigned i = digits; i-- > 0;) out_ += symbols[value >> (4 * i) & 15];
}

void Printer::unified(const std::optional<std::array<std::uint64_t, 2>>& id, bool managed) {
  if (!id && !managed) return;
  text(managed ? ".attribute(.managed" : ".attribute(");
  if (id) {
    text(managed ? ", .unified(" : ".unified(");
    number((*id)[0]);
    text(", ");
    number((*id)[1]);
    text(")");
  }
  text(") ");
}

}  // namespace heddle::ptx
