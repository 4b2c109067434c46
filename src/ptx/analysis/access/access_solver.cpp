#include "ptx/analysis/access/access_solver.hpp"

#include <algorithm>

namespace heddle::ptx::analysis {
namespace {

using Kind = Source::Kind;

// Offsets of one variable that are told apart; beyond, its contents are one.
constexpr unsigned most_offsets = 1024;
// Offsets of one variable in one register; with more, it steps through the variable in a loop.
constexpr unsigned most_offsets_of_register = 8;

bool is_wide(Type type) { return bit_width(type) >= 64 && type != Type::f64; }

std::optional<std::int64_t> constant(const Operand& operand) {
  if (operand.kind == OperandKind::integer) return operand.value;
  return std::nullopt;
}

}  // namespace

AccessSolver::AccessSolver(const Module& module, std::uint32_t function, const std::vector<AccessSummary>& summaries)
    : module_(module),
      function_(module.functions[function]),
      summaries_(summaries),
      cfg_(function_, &module),
      table_(function_),
      tree_(dominators(cfg_)),
      webs_(cfg_, tree_, function_, table_),
      values_(webs_.size()),
      contents_(function_, sources_),
      uses_(function, sources_) {}

AccessSummary AccessSolver::solve() {
  for (std::uint32_t p = 0; p < function_.parameter_registers.size(); ++p)
    if (const std::uint32_t web = webs_.of_parameter(p); web != no_web)
      values_[web].plain.insert(sources_.number({Kind::parameter, p, 0}));
  for (changed_ = true; changed_;) {
    changed_ = false;
    uses_.begin_pass();
    for (std::uint32_t b : cfg_.order())
      for (std::uint32_t i = cfg_.block(b).begin; i < cfg_.block(b).end; ++i) step(i);
  }
  return summary();
}

std::vector<Source> AccessSolver::pointed_to(std::uint32_t instruction, std::uint16_t operand) {
  std::vector<Source> found;
  const PointerValue address = address_of(instruction, operand);
  for (const std::uint32_t number : address.targets()) found.push_back(sources_[number]);
  return found;
}

void AccessSolver::step(std::uint32_t i) {
  at_ = i;
  const Instruction& inst = function_.body[i];
  switch (inst.opcode) {
    case Opcode::mov:
    case Opcode::shfl: move(i); break;
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::atom:
      memory(i);
      load(i);
      break;
    case Opcode::call: call(i); break;
    default: memory(i); follow(i);
  }
}

SourceSet AccessSolver::symbol(const SymbolRef& symbol, std::int64_t offset) {
  SourceSet set;
  switch (symbol.kind) {
    case SymbolRef::Kind::module_variable:
      if (module_.variables[symbol.index].space == Space::shared)
        set.insert(sources_.number({Kind::shared, 0, 0}));
      else
        set.insert(sources_.number({Kind::module_variable, symbol.index, 0}));
      break;
    case SymbolRef::Kind::local_variable: {
      const Space space = function_.variables[symbol.index].space;
      if (space == Space::shared)
        set.insert(sources_.number({Kind::shared, 0, 0}));
      else if (space == Space::local || space == Space::param)
        set.insert(sources_.number({Kind::cell, symbol.index, offset}));
      else  // static memory of the function: numbered behind the module's
        set.insert(sources_.number(
            {Kind::module_variable, static_cast<std::uint32_t>(module_.variables.size()) + symbol.index, 0}));
      break;
    }
    case SymbolRef::Kind::parameter: set.insert(sources_.number({Kind::parameter_cell, symbol.index, offset})); break;
    case SymbolRef::Kind::return_parameter:
      set.insert(sources_.number({Kind::cell, return_cells + symbol.index, offset}));
      break;
    case SymbolRef::Kind::function: break;
  }
  return set;
}

PointerValue AccessSolver::value_of(std::uint32_t i, const Operand& operand, std::uint16_t number,
                                    std::uint16_t element) {
  PointerValue value;
  if (operand.kind == OperandKind::reg) {
    const std::uint32_t web = webs_.use(i, number, element);
    if (web != no_web) value = values_[web];
  } else if (operand.kind == OperandKind::symbol) {
    value.address = symbol(operand.symbol, operand.value);
  }
  return value;
}

// The same places at another distance; none given: anywhere around.
PointerValue AccessSolver::advance(const PointerValue& value, std::optional<std::int64_t> distance) {
  const auto move = [&](const SourceSet& set) {
    SourceSet result;
    for (std::uint32_t number : set) {
      Source source = sources_[number];
      if (source.kind == Kind::cell || source.kind == Kind::parameter_cell) {
        const bool known = distance && source.offset != Source::any_offset;
        const std::uint32_t before = sources_.size();
        const Source there{source.kind, source.index, known ? source.offset + *distance : Source::any_offset};
        number = sources_.number(there);
        if (sources_.size() > before && ++cell_offsets_[source.index] > most_offsets)
          number = sources_.number({source.kind, source.index, Source::any_offset});
      }
      result.insert(number);
    }
    return result;
  };
  return {move(value.address), move(value.plain), value.derived};
}

PointerValue AccessSolver::address_of(std::uint32_t i, std::uint16_t number) {
  const Operand& operand = function_.body[i].operands[number];
  PointerValue value;
  if (operand.base == OperandKind::symbol) value.address = symbol(operand.symbol, operand.value);
  if (operand.base == OperandKind::reg) {
    const std::uint32_t web = webs_.use(i, number, 0);
    if (web != no_web) value = advance(values_[web], operand.value);
  }
  return value;
}

void AccessSolver::define(std::uint32_t i, std::uint16_t operand, std::uint16_t element, const PointerValue& value) {
  const std::uint32_t web = webs_.def(i, operand, element);
  if (web == no_web || value.empty()) return;
  PointerValue& known = values_[web];
  PointerValue added = value;
  std::map<std::pair<Kind, std::uint32_t>, unsigned> offsets;
  const auto is_cell = [](const Source& source) {
    return source.kind == Kind::cell || source.kind == Kind::parameter_cell;
  };
  for (const std::uint32_t number : known.everything()) {
    const Source source = sources_[number];
    if (!is_cell(source)) continue;
    ++offsets[{source.kind, source.index}];
    if (source.offset == Source::any_offset) added = collapse(added, source.kind, source.index);
  }
  if (!known.insert(added)) return;
  changed_ = true;
  for (const auto& [variable, count] : offsets) {
    if (count <= most_offsets_of_register) continue;
    known.address.insert(sources_.number({variable.first, variable.second, Source::any_offset}));
    known = collapse(known, variable.first, variable.second);
  }
}

// Without the single offsets of a variable of which any offset is in the set already.
PointerValue AccessSolver::collapse(const PointerValue& value, Source::Kind kind, std::uint32_t index) const {
  const auto keep = [&](const SourceSet& set) {
    SourceSet result;
    for (std::uint32_t number : set) {
      const Source& source = sources_[number];
      if (source.kind != kind || source.index != index || source.offset == Source::any_offset) result.insert(number);
    }
    return result;
  };
  return {keep(value.address), keep(value.plain), value.derived};
}

unsigned AccessSolver::width_of_def(std::uint32_t i, std::uint16_t operand, std::uint16_t element) const {
  const std::uint32_t web = webs_.def(i, operand, element);
  return web == no_web ? 0 : bit_width(webs_.web(web).type);
}

// mov, also into and out of the elements of vectors, and shfl, which hands on the value of another lane.
void AccessSolver::move(std::uint32_t i) {
  const Instruction& inst = function_.body[i];
  const std::uint16_t from = inst.opcode == Opcode::shfl ? 2 : 1;
  const Operand& source = inst.operands[from];
  PointerValue value;
  if (source.kind == OperandKind::vector) {
    bool same_field = true;  // halves of one field of a parameter, loaded one by one
    for (std::uint16_t e = 0; e < source.elements.size(); ++e) {
      const PointerValue part = value_of(i, source.elements[e], from, e);
      same_field &= part.address.empty() && part.plain.empty() && !part.derived.empty();
      value.insert(part);
    }
    if (same_field && value.derived.size() == 1) value = {{}, value.derived, {}};
  } else {
    value = value_of(i, source, from, 0);
  }
  const Operand& target = inst.operands[0];
  const auto parts =
      target.kind == OperandKind::vector ? static_cast<std::uint16_t>(target.elements.size()) : std::uint16_t{1};
  for (std::uint16_t e = 0; e < parts; ++e) define(i, 0, e, value);
}

// What a sum points to: if one of the two is an address, the other is an index into what that points to, or the
// distance from there to something else.
PointerValue AccessSolver::sum(const PointerValue& a, const PointerValue& b) {
  PointerValue both = a;
  both.insert(b);
  PointerValue result;
  if (!both.address.empty())
    result.address = both.address;
  else if (!both.plain.empty())
    result.plain = both.plain;
  else
    return both;
  SourceSet others;
  const SourceSet targets = result.targets();
  for (const std::uint32_t number : both.everything())
    if (!targets.contains(number)) others.insert(number);
  changed_ |= uses_.add_in_addresses(others, at_);
  return result;
}

// add, sub, and, or of 64 bits.
PointerValue AccessSolver::sum_of(std::uint32_t i) {
  const Instruction& inst = function_.body[i];
  const PointerValue a = value_of(i, inst.operands[1], 1, 0), b = value_of(i, inst.operands[2], 2, 0);
  const auto first = constant(inst.operands[1]), second = constant(inst.operands[2]);
  const bool adds = inst.opcode == Opcode::add, subtracts = inst.opcode == Opcode::sub;
  if (second && (adds || subtracts)) return advance(a, adds ? *second : -*second);
  if (first && adds) return advance(b, *first);
  if (subtracts && !a.address.empty() && !b.address.empty()) return {{}, {}, sum(a, b).address};  // a distance
  return advance(sum(a, b), std::nullopt);
}

// Addresses of shared and local memory have 32 bits, too, and are widened. Of others, 32 bits are a half.
PointerValue AccessSolver::widened(const PointerValue& value, bool was_wide) const {
  if (was_wide) return value;
  PointerValue result;
  for (const std::uint32_t number : value.address) {
    const Kind kind = sources_[number].kind;
    if (kind == Kind::shared || kind == Kind::cell) result.address.insert(number);
  }
  if (!result.address.empty()) result.derived = value.derived;
  return result;
}

// The result of instructions that keep what their operands point to; empty for others.
PointerValue AccessSolver::kept_by(std::uint32_t i, bool full) {
  const Instruction& inst = function_.body[i];
  const auto operand = [&](std::uint16_t n) { return value_of(i, inst.operands[n], n, 0); };
  switch (inst.opcode) {
    case Opcode::cvta: {
      const PointerValue from = operand(1);
      changed_ |= uses_.add_pointers(from.targets(), true);
      return {from.targets(), {}, from.derived};
    }
    case Opcode::add:
    case Opcode::sub:
    case Opcode::and_:
    case Opcode::or_: return full ? sum_of(i) : PointerValue{};
    case Opcode::mad: {
      if (!full) return {};
      PointerValue product;
      product.derived = operand(1).everything();
      product.derived.insert(operand(2).everything());
      return advance(sum(operand(3), product), std::nullopt);
    }
    case Opcode::selp:
    case Opcode::min:
    case Opcode::max: {
      PointerValue either = operand(1);
      either.insert(operand(2));
      return either;
    }
    case Opcode::cvt: return full ? widened(operand(1), is_wide(inst.d.type2)) : PointerValue{};
    default: return {};
  }
}

// Arithmetic: sums keep what they point to, other operations lose it.
void AccessSolver::follow(std::uint32_t i) {
  const Instruction& inst = function_.body[i];
  if (inst.operands.empty() || webs_.def(i, 0) == no_web) return;
  const unsigned width = width_of_def(i, 0, 0);
  if (width < 8) return;  // a predicate
  const bool full = width >= 64;
  PointerValue result = width < 32 ? PointerValue{} : kept_by(i, full);
  if (result.empty()) {
    for (const RegisterOccurrence& item : table_.of(i)) {
      if (item.is_def) continue;
      const std::uint32_t web = webs_.use(i, item.operand, item.element);
      const PointerValue& value = values_[web];
      const bool whole = bit_width(webs_.web(web).type) >= 64;
      for (const SourceSet* const set : {&value.address, &value.plain})
        for (const std::uint32_t number : *set) {
          // Of 32 bits: half of a pointer on its way back, but where it is an address of shared or local memory.
          const Kind kind = sources_[number].kind;
          if (whole || !full || kind == Kind::parameter || kind == Kind::module_variable) result.derived.insert(number);
        }
      result.derived.insert(value.derived);  // of 32 bits: perhaps half of a pointer, or a distance, on its way back
    }
  }
  for (const RegisterOccurrence& item : table_.of(i))
    if (item.is_def) define(i, item.operand, item.element, result);
}

AccessSummary AccessSolver::summary() {
  AccessSummary result = uses_.summary();
  result.returns.resize(function_.returns.size());
  const auto add = [&](std::uint32_t number, std::int64_t offset, const PointerValue& value) {
    for (std::uint32_t s : value.everything()) {
      const Source& source = sources_[s];
      const bool kept =
          source.kind == Kind::parameter || source.kind == Kind::module_variable || source.kind == Kind::shared;
      auto& list = result.returns[number][offset];
      const Source handed = kept ? source : Source{};
      if (std::find(list.begin(), list.end(), handed) == list.end()) list.push_back(handed);
    }
  };
  for (const auto& [key, value] : contents_.cells())
    if (key.first >= return_cells && key.first - return_cells < result.returns.size())
      add(key.first - return_cells, key.second, value);
  for (std::uint32_t at = 0; at < table_.all().size(); ++at) {
    const RegisterOccurrence& item = table_.all()[at];
    if (item.operand == return_operand && item.element < result.returns.size())
      add(item.element, 0, values_[webs_.of_occurrences()[at]]);
  }
  return result;
}

}  // namespace heddle::ptx::analysis
