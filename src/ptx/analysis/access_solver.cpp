#include "ptx/analysis/access_solver.hpp"

#include <set>

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
      function_index_(function),
      summaries_(summaries),
      cfg_(function_, &module),
      table_(function_),
      tree_(dominators(cfg_)),
      webs_(cfg_, tree_, function_, table_),
      values_(webs_.size()) {}

AccessSummary AccessSolver::solve() {
  for (std::uint32_t p = 0; p < function_.parameter_registers.size(); ++p)
    if (const std::uint32_t web = webs_.of_parameter(p); web != no_web)
      values_[web].plain.insert(sources_.number({Kind::parameter, p, 0}));
  for (changed_ = true; changed_;) {
    changed_ = false;
    for (SourceUse& known : uses_) known.alone = false;  // found anew, since sets of sources grow from pass to pass
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

// ---- values -------------------------------------------------------------------------------------------------------

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
  for (const std::uint32_t number : both.everything())
    if (!result.targets().contains(number)) others.insert(number);
  note_in_addresses(others);
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

// The result of instructions that keep what their operands point to; empty for others.
PointerValue AccessSolver::kept_by(std::uint32_t i, bool full) {
  const Instruction& inst = function_.body[i];
  const auto operand = [&](std::uint16_t n) { return value_of(i, inst.operands[n], n, 0); };
  switch (inst.opcode) {
    case Opcode::cvta: {
      const PointerValue from = operand(1);
      note_pointers(from.targets(), true);
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
    case Opcode::cvt: return full && is_wide(inst.d.type2) ? operand(1) : PointerValue{};
    default: return {};
  }
}

// Arithmetic: sums keep what they point to, other operations lose it.
void AccessSolver::follow(std::uint32_t i) {
  const Instruction& inst = function_.body[i];
  if (inst.operands.empty() || webs_.def(i, 0) == no_web) return;
  const unsigned width = width_of_def(i, 0, 0);
  if (width < 32) return;
  const bool full = width >= 64;
  PointerValue result = kept_by(i, full);
  if (result.empty()) {
    for (const RegisterOccurrence& item : table_.of(i)) {
      if (item.is_def) continue;
      const std::uint32_t web = webs_.use(i, item.operand, item.element);
      const PointerValue& value = values_[web];
      const bool whole = bit_width(webs_.web(web).type) >= 64;
      // Integers of 32 bits that were never halves of a pointer cannot become one.
      if (whole || !full) {
        result.derived.insert(value.address);
        result.derived.insert(value.plain);
      }
      result.derived.insert(value.derived);  // of 32 bits: perhaps half of a pointer, or a distance, on its way back
    }
  }
  for (const RegisterOccurrence& item : table_.of(i))
    if (item.is_def) define(i, item.operand, item.element, result);
}

// ---- memory -------------------------------------------------------------------------------------------------------

PointerValue AccessSolver::cell(std::uint32_t variable, std::int64_t offset) const {
  PointerValue value;
  for (auto it = cells_.lower_bound({variable, INT64_MIN}); it != cells_.end() && it->first.first == variable; ++it) {
    const std::int64_t there = it->first.second;
    const bool meets =
        offset == Source::any_offset || there == Source::any_offset || (there > offset - 8 && there < offset + 8);
    if (meets) value.insert(it->second);
  }
  return value;
}

PointerValue AccessSolver::parameter_field(std::uint32_t parameter, std::int64_t offset) {
  PointerValue value;
  const auto size = static_cast<std::int64_t>(function_.parameters[parameter].size());
  const auto add = [&](std::int64_t at) { value.plain.insert(sources_.number({Kind::parameter, parameter, at})); };
  if (offset != Source::any_offset) {
    if (offset >= 0 && offset < size) add(offset & ~std::int64_t{7});
    return value;
  }
  for (std::int64_t at = 0; at < size; at += 8) add(at);
  return value;
}

PointerValue AccessSolver::loaded_from(const SourceSet& targets, Space space, std::int64_t step) {
  PointerValue value;
  if (space == Space::shared) return shared_contents_;
  for (std::uint32_t number : targets) {
    const Source source = sources_[number];
    const std::int64_t offset = source.offset == Source::any_offset ? source.offset : source.offset + step;
    switch (source.kind) {
      case Kind::cell: value.insert(cell(source.index, offset)); break;
      case Kind::parameter_cell: value.insert(parameter_field(source.index, offset)); break;
      case Kind::shared: value.insert(shared_contents_); break;
      case Kind::loaded:
      case Kind::elsewhere: value.plain.insert(number); break;
      default: value.plain.insert(sources_.number({Kind::loaded, number, 0})); break;
    }
  }
  if (targets.empty() && space == Space::local)
    for (const auto& [key, contents] : cells_) value.insert(contents);
  if (targets.empty() && space != Space::local && space != Space::param)
    value.plain.insert(sources_.number({Kind::elsewhere, 0, 0}));
  return value;
}

void AccessSolver::load(std::uint32_t i) {
  const Instruction& inst = function_.body[i];
  const Space space = space_of(module_, function_, inst, inst.operands[1]);
  const PointerValue address = address_of(i, 1);
  const auto bytes = static_cast<std::int64_t>(byte_size(inst.d.type));
  for (const RegisterOccurrence& item : table_.of(i)) {
    if (!item.is_def || bytes < 4) continue;
    PointerValue value = loaded_from(address.targets(), space, item.element * bytes);
    if (bytes == 4) {
      // Half a pointer at best. A half of a parameter's field is most often a number of its own.
      PointerValue half;
      half.derived = value.derived;
      SourceSet whole = value.address;
      whole.insert(value.plain);
      for (std::uint32_t number : whole) {
        const bool of_parameter = sources_[number].kind == Kind::parameter && space == Space::param;
        const bool from_memory = sources_[number].kind == Kind::loaded || sources_[number].kind == Kind::elsewhere;
        if (from_memory) continue;
        (of_parameter ? half.derived : half.plain).insert(number);
      }
      value = half;
    }
    if (inst.d.type == Type::f64) continue;
    define(i, item.operand, item.element, value);
  }
}

void AccessSolver::memory(std::uint32_t i) {
  const Instruction& inst = function_.body[i];
  for_each_memory_effect(inst, [&](MemoryEffect effect) {
    if (effect.space == Space::generic)
      effect.space = space_of(module_, function_, inst, inst.operands[effect.operand]);
    const PointerValue address = address_of(i, effect.operand);
    use_of_address(address, i, effect);
    const bool stores = inst.opcode == Opcode::st || is_atomic(inst);
    if (!effect.writes || !stores || effect.operand > 1) return;
    const std::int64_t bytes = byte_size(inst.d.type);
    for (const RegisterOccurrence& item : table_.of(i)) {
      if (item.is_def || item.operand == guard_operand || item.operand == effect.operand) continue;
      PointerValue value = values_[webs_.use(i, item.operand, item.element)];
      if (bytes < 4 || value.empty()) continue;
      store_value(address.targets(), effect.space, value, item.element * bytes);
      const bool local = effect.space == Space::local || effect.space == Space::param || effect.space == Space::shared;
      bool outside = !local && address.targets().empty();
      for (std::uint32_t number : address.targets()) {
        const Kind kind = sources_[number].kind;
        outside |= kind != Kind::cell && kind != Kind::parameter_cell && kind != Kind::shared;
      }
      if (!outside && !(effect.space == Space::local && address.targets().empty())) continue;
      escape(value.address, i, "the pointer is stored to memory");
      escape(value.plain, i, "the pointer is stored to memory");
      if (bytes > 4) escape(value.derived, i, "a value computed from the pointer is stored to memory");
    }
  });
}

void AccessSolver::store_value(const SourceSet& targets, Space space, const PointerValue& value, std::int64_t step) {
  if (space == Space::shared) changed_ |= shared_contents_.insert(value);
  for (std::uint32_t number : targets) {
    const Source& source = sources_[number];
    if (source.kind == Kind::shared) changed_ |= shared_contents_.insert(value);
    if (source.kind != Kind::cell) continue;
    const std::int64_t offset = source.offset == Source::any_offset ? source.offset : source.offset + step;
    changed_ |= cells_[{source.index, offset}].insert(value);
  }
}

void AccessSolver::use_of_address(const PointerValue& value, std::uint32_t i, const MemoryEffect& effect) {
  if (effect.space == Space::shared || effect.space == Space::local || effect.space == Space::param) return;
  if (effect.described) {
    escape(value.everything(), i, "a tensor map is used, which says itself what memory it describes");
    elsewhere(i, effect.reads, effect.writes, "memory that a tensor map describes is accessed");
    return;
  }
  if (!value.targets().empty()) return use(value.targets(), i, effect.reads, effect.writes, !effect.handle);
  escape(value.derived, i, "the pointer is computed in a way that is not followed");
  elsewhere(i, effect.reads, effect.writes, "an address comes from no parameter");
}

void AccessSolver::use(const SourceSet& sources, std::uint32_t i, bool reads, bool writes, bool is_pointer,
                       bool alone) {
  if (is_pointer) note_pointers(sources, alone);
  for (std::uint32_t number : sources) {
    const Source source = sources_[number];
    switch (source.kind) {
      case Kind::parameter:
      case Kind::module_variable: note(number, i, reads, writes, nullptr); break;
      case Kind::loaded:
        note(source.index, i, false, false, "a pointer loaded from this memory is used as an address");
        elsewhere(i, reads, writes, "a pointer loaded from memory is used as an address");
        break;
      case Kind::elsewhere: elsewhere(i, reads, writes, "an address comes from no parameter"); break;
      default: break;
    }
  }
}

void AccessSolver::escape(const SourceSet& sources, std::uint32_t i, const char* why) {
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> work(sources.begin(), sources.end());
  const auto push = [&](const PointerValue& value) {
    for (std::uint32_t number : value.everything()) work.push_back(number);
  };
  PointerValue anything;
  anything.plain.insert(sources_.number({Kind::elsewhere, 0, 0}));
  while (!work.empty()) {
    const std::uint32_t number = work.back();
    work.pop_back();
    if (!seen.insert(number).second) continue;
    const Source source = sources_[number];
    switch (source.kind) {
      case Kind::parameter:
      case Kind::module_variable: note(number, i, false, false, why); break;
      case Kind::cell:
        push(cell(source.index, Source::any_offset));
        changed_ |= cells_[{source.index, Source::any_offset}].insert(anything);
        break;
      case Kind::parameter_cell: push(parameter_field(source.index, Source::any_offset)); break;
      case Kind::shared:
        push(shared_contents_);
        changed_ |= shared_contents_.insert(anything);
        break;
      default: break;
    }
  }
}

AccessReason AccessSolver::reason(std::uint32_t i, std::string text) const {
  return {function_index_, i, std::move(text)};
}

void AccessSolver::elsewhere(std::uint32_t i, bool reads, bool writes, const char* why) {
  changed_ |= (reads && !reads_elsewhere_) || (writes && !writes_elsewhere_);
  reads_elsewhere_ |= reads;
  writes_elsewhere_ |= writes;
  if (!elsewhere_reason_.present()) elsewhere_reason_ = reason(i, why);
}

void AccessSolver::note(std::uint32_t number, std::uint32_t i, bool reads, bool writes, const char* unknown) {
  if (uses_.size() <= number) uses_.resize(sources_.size());
  SourceUse& use = uses_[number];
  const bool is_new = (reads && !use.reads) || (writes && !use.writes) || (unknown != nullptr && !use.unknown);
  changed_ |= is_new;
  use.reads |= reads;
  use.writes |= writes;
  use.unknown |= unknown != nullptr;
  const AccessWitness here{function_index_, i};
  if (reads && !use.read_at.present()) use.read_at = through_ && through_->read_at.present() ? through_->read_at : here;
  if (writes && !use.written_at.present())
    use.written_at = through_ && through_->written_at.present() ? through_->written_at : here;
  if (use.reason_is_unknown || (use.reason.present() && unknown == nullptr)) return;
  use.reason = reason(i, unknown != nullptr ? unknown
                         : reads && writes  ? "read and written here"
                         : reads            ? "read here"
                                            : "written here");
  use.reason_is_unknown = unknown != nullptr;
}

void AccessSolver::note_pointers(const SourceSet& sources, bool alone) {
  if (uses_.size() < sources_.size()) uses_.resize(sources_.size());
  for (std::uint32_t number : sources) {
    const Kind kind = sources_[number].kind;
    if (kind != Kind::parameter && kind != Kind::module_variable) continue;
    changed_ |= !uses_[number].pointer;
    uses_[number].pointer = true;
    uses_[number].alone |= alone && sources.size() == 1;
  }
}

void AccessSolver::note_in_addresses(const SourceSet& sources) {
  if (uses_.size() < sources_.size()) uses_.resize(sources_.size());
  for (const std::uint32_t number : sources) {
    if (sources_[number].kind != Kind::parameter) continue;
    SourceUse& use = uses_[number];
    changed_ |= !use.in_addresses;
    use.in_addresses = true;
    if (!use.added_at.present())
      use.added_at = reason(at_, "its value is added to another address, as the distance from there");
  }
}

AccessSummary AccessSolver::summary() {
  AccessSummary result;
  result.reads_elsewhere = reads_elsewhere_;
  result.writes_elsewhere = writes_elsewhere_;
  result.elsewhere_reason = elsewhere_reason_;
  uses_.resize(sources_.size());
  for (std::uint32_t s = 0; s < sources_.size(); ++s) {
    const Source& source = sources_[s];
    if (source.kind == Kind::parameter || source.kind == Kind::module_variable) result.uses[source] = uses_[s];
  }
  for (auto& [source, use] : result.uses) {
    // A number that is added to addresses is an index; a pointer is a distance.
    if (!use.in_addresses || !use.pointer || use.unknown) continue;
    use.unknown = use.reason_is_unknown = true;
    use.reason = use.added_at;
  }
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
  for (const auto& [key, value] : cells_)
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
