#include "ptx/analysis/access/block_reach.hpp"

#include <algorithm>
#include <bit>

#include "ptx/analysis/access/access_solver.hpp"
#include "ptx/analysis/effects/calls.hpp"
#include "ptx/analysis/effects/memory_effect.hpp"
#include "ptx/analysis/flow/register_table.hpp"

namespace heddle::ptx::analysis {
namespace {

// What a register holds.
struct Form {
  enum class Kind : std::uint8_t { nothing_yet, sum, unknown };
  Kind kind = Kind::nothing_yet;
  LaunchSum sum;

  static Form unknown() { return {Kind::unknown, {}}; }
  static Form of(const LaunchSum& sum) { return {Kind::sum, sum}; }
  static Form of(const std::optional<LaunchSum>& sum) { return sum ? of(*sum) : unknown(); }
  friend bool operator==(const Form&, const Form&) = default;
};

// Of two registers, by combine(sum, sum).
template <class Combine>
Form combined(const Form& a, const Form& b, const Combine& combine) {
  if (a.kind == Form::Kind::unknown || b.kind == Form::Kind::unknown) return Form::unknown();
  if (a.kind == Form::Kind::nothing_yet || b.kind == Form::Kind::nothing_yet) return {};
  return Form::of(combine(a.sum, b.sum));
}

Form sum(const Form& a, const Form& b) {
  return combined(a, b, [](const LaunchSum& x, const LaunchSum& y) { return x.plus(y); });
}
Form product(const Form& a, const Form& b) {
  return combined(a, b, [](const LaunchSum& x, const LaunchSum& y) { return x.times(y); });
}
Form negated(const Form& a) { return a.kind == Form::Kind::sum ? Form::of(a.sum.times(-1)) : a; }

template <class T>
void add_once(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

// A negative number becomes another one where 32 bits are taken for unsigned and widened. No number of a sum is
// negative where it is evaluated.
Form zero_extended(const Form& a) {
  return a.kind != Form::Kind::sum || !a.sum.has_negative_factor() ? a : Form::unknown();
}

std::optional<LaunchNumber> number_of(SpecialRegister special) {
  switch (special) {
    case SpecialRegister::tid_x: return LaunchNumber::tid_x;
    case SpecialRegister::tid_y: return LaunchNumber::tid_y;
    case SpecialRegister::tid_z: return LaunchNumber::tid_z;
    case SpecialRegister::ctaid_x: return LaunchNumber::ctaid_x;
    case SpecialRegister::ctaid_y: return LaunchNumber::ctaid_y;
    case SpecialRegister::ctaid_z: return LaunchNumber::ctaid_z;
    case SpecialRegister::ntid_x: return LaunchNumber::ntid_x;
    case SpecialRegister::ntid_y: return LaunchNumber::ntid_y;
    case SpecialRegister::ntid_z: return LaunchNumber::ntid_z;
    case SpecialRegister::nctaid_x: return LaunchNumber::nctaid_x;
    case SpecialRegister::nctaid_y: return LaunchNumber::nctaid_y;
    case SpecialRegister::nctaid_z: return LaunchNumber::nctaid_z;
    default: return std::nullopt;
  }
}

class Forms {
 public:
  explicit Forms(const Function& function)
      : function_(function),
        table_(function),
        forms_(function.registers.size()),
        definitions_(function.registers.size()) {
    for (std::uint32_t i = 0; i < function.body.size(); ++i)
      for (const RegisterOccurrence& occurrence : table_.of(i))
        if (occurrence.is_def) definitions_[occurrence.reg].push_back(i);
  }

  // Definitions of one register are joined, wherever they stand, until nothing changes any more: a register goes from
  // nothing to a sum to unknown, so that takes few rounds.
  void solve() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t i = 0; i < function_.body.size(); ++i)
        for (const RegisterOccurrence& occurrence : table_.of(i))
          if (occurrence.is_def) changed |= define(i, occurrence);
    }
  }
  const Form& operator[](std::uint32_t reg) const { return forms_[reg]; }
  // The sums in registers of 32 bits from which this register is computed, itself included.
  void add_32_bits(std::uint32_t reg, std::vector<LaunchSum>& all) const {
    std::vector<bool> seen(forms_.size());
    std::vector<std::uint32_t> work{reg};
    seen[reg] = true;
    while (!work.empty()) {
      const std::uint32_t next = work.back();
      work.pop_back();
      if (forms_[next].kind == Form::Kind::sum && byte_size(function_.registers[next].type) <= 4)
        add_once(all, forms_[next].sum);
      for (const std::uint32_t i : definitions_[next])
        for (const RegisterOccurrence& occurrence : table_.of(i)) {
          if (occurrence.is_def || seen[occurrence.reg]) continue;
          seen[occurrence.reg] = true;
          work.push_back(occurrence.reg);
        }
    }
  }

 private:
  bool define(std::uint32_t i, const RegisterOccurrence& occurrence) {
    const Instruction& inst = function_.body[i];
    const bool plain = occurrence.operand == 0 && occurrence.element == 0 && inst.operands[0].is_reg();
    const Form made = plain ? computed(inst) : Form::unknown();
    Form& form = forms_[occurrence.reg];
    if (made.kind == Form::Kind::nothing_yet || form.kind == Form::Kind::unknown || form == made) return false;
    form = form.kind == Form::Kind::nothing_yet ? made : Form::unknown();
    return true;
  }

  Form value(const Operand& operand) const {
    switch (operand.kind) {
      case OperandKind::reg: return forms_[operand.index];
      case OperandKind::integer: return Form::of(LaunchSum::of(operand.value));
      case OperandKind::special: {
        const auto number = number_of(operand.special);
        return number ? Form::of(LaunchSum::of(*number)) : Form::unknown();
      }
      default: return Form::unknown();
    }
  }

  // A whole parameter of 4 or 8 bytes: an address, or a number.
  Form loaded(const Instruction& inst) const {
    const Operand& from = inst.operands[1];
    if (inst.d.space != Space::param || from.base != OperandKind::symbol || from.value != 0 || inst.d.vector != 1 ||
        from.symbol.kind != SymbolRef::Kind::parameter || is_float(inst.d.type))
      return Form::unknown();
    const std::size_t size = byte_size(inst.d.type);
    if ((size != 4 && size != 8) || function_.parameters[from.symbol.index].size() != size) return Form::unknown();
    return Form::of(LaunchSum::of(number_of_parameter(from.symbol.index)));
  }

  // Of narrower registers than 32 bits, and of floating-point numbers, nothing is known.
  Form computed(const Instruction& inst) const {
    const Decoded& d = inst.d;
    if (inst.opcode == Opcode::ld) return loaded(inst);
    if (inst.opcode == Opcode::cvta) return value(inst.operands[1]);
    if (is_float(d.type) || byte_size(d.type) < 4 || d.sat || d.carry_out) return Form::unknown();
    switch (inst.opcode) {
      case Opcode::mov: return value(inst.operands[1]);
      case Opcode::cvt:
        if (is_float(d.type2) || byte_size(d.type2) < 4) return Form::unknown();
        // Into 32 bits the sums that are looked at fit (in_32_bits).
        return extended(d.type2, byte_size(d.type) > byte_size(d.type2), value(inst.operands[1]));
      case Opcode::add: return sum(value(inst.operands[1]), value(inst.operands[2]));
      case Opcode::sub: return sum(value(inst.operands[1]), negated(value(inst.operands[2])));
      case Opcode::neg: return negated(value(inst.operands[1]));
      case Opcode::or_: return disjoint(value(inst.operands[1]), value(inst.operands[2]));
      case Opcode::shl: return shifted(inst);
      case Opcode::mul: return d.half == Half::hi ? Form::unknown() : multiplied(inst);
      case Opcode::mad: return d.half == Half::hi ? Form::unknown() : sum(multiplied(inst), value(inst.operands[3]));
      default: return Form::unknown();
    }
  }
  static Form extended(Type type, bool widens, const Form& form) {
    return widens && !is_signed(type) ? zero_extended(form) : form;
  }
  // Compilers write 2 * i + 1 as 2 * i | 1.
  static Form disjoint(const Form& a, const Form& b) {
    if (a.kind == Form::Kind::sum && b.kind == Form::Kind::sum) {
      const bool is_second = b.sum.is_constant();
      const LaunchSum &bits = is_second ? b.sum : a.sum, &rest = is_second ? a.sum : b.sum;
      if (!bits.is_constant() || bits.constant() < 0 || rest.has_negative_factor()) return Form::unknown();
      const auto above = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bits.constant()) + 1));
      if (!rest.is_multiple_of(above)) return Form::unknown();
    }
    return sum(a, b);
  }
  Form multiplied(const Instruction& inst) const {
    const bool widens = inst.d.half == Half::wide;
    return product(extended(inst.d.type, widens, value(inst.operands[1])),
                   extended(inst.d.type, widens, value(inst.operands[2])));
  }
  Form shifted(const Instruction& inst) const {
    const Operand& by = inst.operands[2];
    if (by.kind != OperandKind::integer || by.value < 0 || by.value > 30) return Form::unknown();
    return product(value(inst.operands[1]), Form::of(LaunchSum::of(std::int64_t{1} << by.value)));
  }

  const Function& function_;
  const RegisterTable table_;
  std::vector<Form> forms_;
  std::vector<std::vector<std::uint32_t>> definitions_;  // by register: instructions
};

// Plain loads and stores, and atomics; of others the number of bytes is not in the type.
std::optional<std::uint32_t> bytes_of(const Instruction& inst) {
  const bool plain = inst.opcode == Opcode::ld || inst.opcode == Opcode::st || inst.opcode == Opcode::ldu ||
                     inst.opcode == Opcode::atom || inst.opcode == Opcode::red;
  if (!plain || byte_size(inst.d.type) == 0) return std::nullopt;
  return static_cast<std::uint32_t>(byte_size(inst.d.type) * inst.d.vector);
}

// The access as bytes from the address in one of the parameters that it may point into; no parameter where more than
// one fits, or none.
struct Followed {
  std::uint32_t parameter = 0;
  LaunchSum offset;
};
std::optional<Followed> follow(const Form& address, const std::vector<std::uint32_t>& parameters) {
  std::optional<Followed> found;
  if (address.kind != Form::Kind::sum) return found;
  for (const std::uint32_t parameter : parameters) {
    auto offset = address.sum.without(number_of_parameter(parameter));
    if (!offset) continue;
    if (found) return std::nullopt;
    found = {parameter, std::move(*offset)};
  }
  return found;
}

}  // namespace

std::vector<BlockReach> find_block_reach(const Module& module, std::uint32_t number) {
  const Function& function = module.functions[number];
  std::vector<BlockReach> found(function.parameters.size());
  if (has_calls(function)) return found;
  const std::vector<AccessSummary> none(module.functions.size());
  AccessSolver solver(module, number, none);
  const AccessSummary summary = solver.solve();
  if (summary.reads_elsewhere || summary.writes_elsewhere) return found;
  for (std::size_t i = 0; i < found.size(); ++i) found[i].known = function.parameters[i].size() == 8;
  for (const auto& [source, use] : summary.uses)
    if (source.kind == Source::Kind::parameter && (use.unknown || source.offset != 0))
      found[source.index].known = false;
  Forms forms(function);
  forms.solve();
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const Instruction& inst = function.body[i];
    for_each_memory_effect(module, function, inst, [&](const MemoryEffect& effect) {
      if (is_block_private(effect.space)) return;
      const Operand& address = inst.operands[effect.operand];
      std::vector<std::uint32_t> parameters;
      for (const Source& source : solver.pointed_to(i, effect.operand))
        if (source.kind == Source::Kind::parameter) parameters.push_back(source.index);
      const auto bytes = bytes_of(inst);
      auto followed =
          address.base == OperandKind::reg && bytes ? follow(forms[address.index], parameters) : std::nullopt;
      if (followed) {
        if (auto offset = followed->offset.plus(address.value))
          followed->offset = std::move(*offset);
        else
          followed.reset();
      }
      if (!followed) {
        for (const std::uint32_t parameter : parameters) found[parameter].known = false;
        return;
      }
      BlockReach& reach = found[followed->parameter];
      add_once(reach.accesses, {std::move(followed->offset), *bytes});
      forms.add_32_bits(address.index, reach.in_32_bits);
    });
  }
  return found;
}

std::optional<ByteReach> BlockReach::of(const Dim3& grid, const Dim3& block, const BlockRange& range,
                                        std::span<const std::optional<std::int64_t>> parameters) const {
  if (!known || range.begin >= range.end) return std::nullopt;
  constexpr std::int64_t most = std::int64_t{1} << 31;
  const LaunchNumbers numbers(grid, block, range, parameters);
  for (const LaunchSum& sum : in_32_bits) {
    const auto magnitude = sum.magnitude(numbers);
    if (!magnitude || *magnitude >= most) return std::nullopt;
  }
  std::optional<ByteReach> all;
  for (const Access& access : accesses) {
    const auto bounds = access.offset.bounds(numbers);
    if (!bounds) return std::nullopt;
    const ByteReach reach{bounds->least, bounds->most + access.bytes};
    if (!all) {
      all = reach;
    } else {
      all->begin = std::min(all->begin, reach.begin);
      all->end = std::max(all->end, reach.end);
    }
  }
  return all ? all : ByteReach{};
}

}  // namespace heddle::ptx::analysis
