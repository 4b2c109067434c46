#include "ptx/printer_impl.hpp"

namespace heddle::ptx {
namespace {

std::string_view space_name(Space space) {
  switch (space) {
    case Space::global: return ".global ";
    case Space::shared: return ".shared ";
    case Space::local: return ".local ";
    case Space::constant: return ".const ";
    case Space::param: return ".param ";
    case Space::generic: break;
  }
  return "";
}

std::string_view linkage_name(Linkage linkage) {
  switch (linkage) {
    case Linkage::visible: return ".visible ";
    case Linkage::weak: return ".weak ";
    case Linkage::external: return ".extern ";
    case Linkage::common: return ".common ";
    case Linkage::internal: break;
  }
  return "";
}

}  // namespace

void Printer::module_variable(const Variable& v) {
  text(linkage_name(v.linkage));
  variable(nullptr, v);
}

void Printer::local_variable(const Function& function, const Variable& v) {
  text("\t");
  variable(&function, v);
}

void Printer::attributes(const Variable& v) {
  unified(v.unified, v.managed);
  if (v.align != 0) {
    text(".align ");
    number(v.align);
    text(" ");
  }
  if (v.vector > 1) {
    text(".v");
    number(v.vector);
    text(" ");
  }
  text(".");
  text(name(v.type));
  text(" ");
}

void Printer::variable(const Function* function, const Variable& v) {
  text(space_name(v.space));
  attributes(v);
  text(v.name);
  dimensions(v);
  initialiser(function, v);
  text(";\n");
}

void Printer::dimensions(const Variable& v) {
  for (std::size_t i = 0; i < v.dims.size(); ++i) {
    text("[");
    if (i != 0 || v.dims[i] != 0) number(v.dims[i]);
    text("]");
  }
}

void Printer::initialiser(const Function* function, const Variable& v) {
  if (!v.opaque_init.empty()) {
    text(" = {");
    for (std::size_t i = 0; i < v.opaque_init.size(); ++i) {
      if (i != 0) text(", ");
      text(v.opaque_init[i].name);
      text(" = ");
      text(v.opaque_init[i].value);
    }
    text("}");
    return;
  }
  if (v.init.empty()) return;
  text(" = ");
  std::vector<std::uint64_t> strides;  // elements of one part of each dimension, innermost last
  std::uint64_t stride = 1;
  if (v.vector > 1) {
    strides.insert(strides.begin(), stride);
    stride *= v.vector;
  }
  for (std::size_t i = v.dims.size(); i-- > 0; stride *= v.dims[i]) strides.insert(strides.begin(), stride);
  for (std::size_t i = 0; i < v.init.size(); ++i) {
    if (i != 0) {
      for (std::size_t level = strides.size(); level-- > 1;)
        if (i % strides[level - 1] == 0) text("}");
      text(", ");
    }
    for (std::size_t level = 0; level < strides.size(); ++level)
      if (i == 0 || (level != 0 && i % strides[level - 1] == 0)) text("{");
    init_value(function, v, v.init[i]);
  }
  for (std::size_t level = 0; level < strides.size(); ++level) text("}");
}

void Printer::init_value(const Function* function, const Variable& v, const InitValue& value) {
  switch (value.kind) {
    case InitValue::Kind::integer:
      if (kind(v.type) == TypeKind::signed_int) return signed_number(static_cast<std::int64_t>(value.bits));
      return number(value.bits);
    case InitValue::Kind::real:
      text(v.type == Type::f64 ? "0d" : "0f");
      return hex(value.bits, v.type == Type::f64 ? 16 : 8);
    case InitValue::Kind::symbol:
    case InitValue::Kind::generic_symbol: break;
  }
  if (value.mask != 0) {
    text("0x");
    unsigned digits = 2;
    while (digits < 16 && value.mask >> (4 * digits) != 0) ++digits;
    hex(value.mask, digits);
    text("(");
  }
  const bool generic = value.kind == InitValue::Kind::generic_symbol;
  if (generic) text("generic(");
  symbol(function, value.symbol);
  if (generic) text(")");
  offset(value.offset);
  if (value.mask != 0) text(")");
}

void Printer::symbol(const Function* function, SymbolRef ref) {
  switch (ref.kind) {
    case SymbolRef::Kind::module_variable: return text(module_.variables[ref.index].name);
    case SymbolRef::Kind::function: return text(module_.functions[ref.index].name);
    case SymbolRef::Kind::local_variable: return text(function->variables[ref.index].name);
    case SymbolRef::Kind::parameter: return text(function->parameters[ref.index].name);
    case SymbolRef::Kind::return_parameter: return text(function->returns[ref.index].name);
  }
}

// "+4", "+-4" (PTX knows no subtraction here), nothing for zero.
void Printer::offset(std::int64_t value) {
  if (value == 0) return;
  text("+");
  signed_number(value);
}

}  // namespace heddle::ptx
