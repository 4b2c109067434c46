// Loads, stores and other accesses in the pointer analysis.
#include <set>
#include <vector>

#include "ptx/analysis/access/access_solver.hpp"

namespace heddle::ptx::analysis {

using Kind = Source::Kind;

// What a load of less than a pointer gives, or of a double, of what the memory holds. Pointers are made again from
// their parts, or copied as bytes. What other launches have stored is taken for numbers; what a called function loads
// may be its caller's.
PointerValue AccessSolver::part_of(const PointerValue& value, Type type, Space space) const {
  const bool of_parameter = space == Space::param, half = byte_size(type) == 4;
  PointerValue part;
  const auto other_launches = [&](std::uint32_t number) {
    const Kind kind = sources_[number].kind;
    if (kind == Kind::loaded && !function_.is_entry) return false;
    return !of_parameter && (kind == Kind::loaded || kind == Kind::elsewhere);
  };
  for (const SourceSet* const set : {&value.address, &value.plain})
    for (const std::uint32_t number : *set) {
      if (other_launches(number)) continue;
      const Kind kind = sources_[number].kind;
      // A half of a parameter's field is most often a number of its own.
      const bool plain = half && kind != Kind::loaded && !(of_parameter && kind == Kind::parameter);
      (plain ? part.plain : part.derived).insert(number);
    }
  for (const std::uint32_t number : value.derived)
    if (half || !other_launches(number)) part.derived.insert(number);
  return part;
}

void AccessSolver::load(std::uint32_t i) {
  const Instruction& inst = function_.body[i];
  const Space space = space_of(module_, function_, inst, inst.operands[1]);
  const PointerValue address = address_of(i, 1);
  const auto bytes = static_cast<std::int64_t>(byte_size(inst.d.type));
  const Operand& from = inst.operands[1];
  const bool kernel_parameter =
      function_.is_entry && from.base == OperandKind::symbol && from.symbol.kind == SymbolRef::Kind::parameter;
  if (kernel_parameter && inst.d.type == Type::f64) return;  // a number
  for (const RegisterOccurrence& item : table_.of(i)) {
    if (!item.is_def) continue;
    PointerValue value = contents_.loaded_from(address.targets(), space, item.element * bytes);
    if (bytes < 8 || inst.d.type == Type::f64) value = part_of(value, inst.d.type, space);
    define(i, item.operand, item.element, value);
  }
}

void AccessSolver::memory(std::uint32_t i) {
  const Instruction& inst = function_.body[i];
  for_each_memory_effect(module_, function_, inst, [&](const MemoryEffect& effect) {
    const PointerValue address = address_of(i, effect.operand);
    use_of_address(address, i, effect);
    if (effect.writes) changed_ |= uses_.add_stored(address.targets());
    // Memory is copied with the pointers in it.
    if (inst.opcode == Opcode::cp && effect.reads && effect.space == Space::shared)
      escape(contents_.shared().everything(), i, "shared memory that holds the pointer is copied");
    const bool stores = inst.opcode == Opcode::st || inst.opcode == Opcode::stmatrix || inst.opcode == Opcode::wmma ||
                        inst.opcode == Opcode::multimem || is_atomic(inst);
    if (!effect.writes || !stores || effect.operand > 1) return;
    const std::int64_t bytes = byte_size(inst.d.type);
    for (const RegisterOccurrence& item : table_.of(i)) {
      if (item.is_def || item.operand == guard_operand || item.operand == effect.operand) continue;
      PointerValue value = values_[webs_.use(i, item.operand, item.element)];
      if (value.empty()) continue;
      for (const std::uint32_t number : value.everything())
        if (sources_[number].kind == Kind::loaded) changed_ |= uses_.add_handed_on(sources_[number].index);
      if (bytes < 4) {  // as of a field of a packed structure; the pieces are not followed
        escape(value.everything(), i, "the pointer is stored to memory in pieces");
        continue;
      }
      changed_ |= contents_.store(address.targets(), effect.space, value, item.element * bytes);
      bool outside = !is_block_private(effect.space) && address.targets().empty();
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

void AccessSolver::use_of_address(const PointerValue& value, std::uint32_t i, const MemoryEffect& effect) {
  if (is_block_private(effect.space)) return;
  if (effect.described) {
    escape(value.everything(), i, "a tensor map is used, which says itself what memory it describes");
    add_elsewhere(i, effect.reads, effect.writes, "memory that a tensor map describes is accessed");
    return;
  }
  if (!value.targets().empty()) return use(value.targets(), i, effect.reads, effect.writes, !effect.handle);
  escape(value.derived, i, "the pointer is computed in a way that is not followed");
  add_elsewhere(i, effect.reads, effect.writes, "an address comes from no parameter");
}

void AccessSolver::use(const SourceSet& sources, std::uint32_t i, bool reads, bool writes, bool is_pointer,
                       bool alone) {
  if (is_pointer) changed_ |= uses_.add_pointers(sources, alone);
  for (std::uint32_t number : sources) {
    const Source source = sources_[number];
    switch (source.kind) {
      case Kind::parameter:
      case Kind::module_variable: changed_ |= uses_.add_access(number, i, reads, writes); break;
      case Kind::loaded:
        changed_ |= uses_.add_unknown(source.index, i, "a pointer loaded from this memory is used as an address");
        add_elsewhere(i, reads, writes, "a pointer loaded from memory is used as an address");
        break;
      case Kind::elsewhere: add_elsewhere(i, reads, writes, "an address comes from no parameter"); break;
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
      case Kind::module_variable: changed_ |= uses_.add_unknown(number, i, why); break;
      case Kind::cell:
        push(contents_.cell(source.index, Source::any_offset));
        changed_ |= contents_.add_to_cell(source.index, Source::any_offset, anything);
        break;
      case Kind::parameter_cell: push(contents_.parameter_field(source.index, Source::any_offset)); break;
      case Kind::shared:
        push(contents_.shared());
        changed_ |= contents_.add_to_shared(anything);
        break;
      default: break;
    }
  }
}

}  // namespace heddle::ptx::analysis
