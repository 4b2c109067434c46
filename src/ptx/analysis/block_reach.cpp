#include "ptx/analysis/block_reach.hpp"

#include <algorithm>
#include <cstdlib>

#include "ptx/analysis/access_solver.hpp"
#include "ptx/analysis/calls.hpp"
#include "ptx/analysis/memory_effect.hpp"
#include "ptx/analysis/register_table.hpp"

namespace heddle::ptx::analysis {
namespace {

// Threads of a grid and constants below the one, bytes from thread to thread below the other: sums then fit 64 bits.
constexpr std::int64_t most = std::int64_t{1} << 31, widest = std::int64_t{1} << 20;

// What a register holds: a sum, on top of the address in a parameter or of nothing.
struct Form {
  enum class Kind : std::uint8_t { nothing_yet, sum, unknown };
  static constexpr std::uint32_t no_parameter = 0xffffffffu;
  Kind kind = Kind::nothing_yet;
  std::uint32_t parameter = no_parameter;
  ThreadOffset offset;

  static Form unknown() { return {Kind::unknown, no_parameter, {}}; }
  static Form of(const ThreadOffset& offset) { return {Kind::sum, no_parameter, offset}; }
  bool is_constant() const {
    return kind == Kind::sum && parameter == no_parameter && offset == ThreadOffset{.constant = offset.constant};
  }
  friend bool operator==(const Form&, const Form&) = default;
};

bool fits(std::int64_t value, std::int64_t limit) { return value > -limit && value < limit; }
bool fits(const ThreadOffset& a) {
  return fits(a.constant, most) && fits(a.tid, widest) && fits(a.ctaid, widest) && fits(a.ntid, widest) &&
         fits(a.ctaid_ntid, widest);
}

Form checked(const Form& form) { return fits(form.offset) ? form : Form::unknown(); }

bool either_open(const Form& a, const Form& b) {
  return a.kind == Form::Kind::nothing_yet || b.kind == Form::Kind::nothing_yet;
}
bool either_unknown(const Form& a, const Form& b) {
  return a.kind == Form::Kind::unknown || b.kind == Form::Kind::unknown;
}

Form scaled(const Form& a, std::int64_t by) {
  if (a.kind != Form::Kind::sum) return a;
  if (a.parameter != Form::no_parameter || !fits(by, most)) return Form::unknown();
  const ThreadOffset& o = a.offset;
  return checked(Form::of({o.constant * by, o.tid * by, o.ctaid * by, o.ntid * by, o.ctaid_ntid * by}));
}

Form sum(const Form& a, const Form& b) {
  if (either_unknown(a, b)) return Form::unknown();
  if (either_open(a, b)) return {};
  if (a.parameter != Form::no_parameter && b.parameter != Form::no_parameter) return Form::unknown();
  const ThreadOffset &x = a.offset, &y = b.offset;
  return checked(
      {Form::Kind::sum,
       std::min(a.parameter, b.parameter),
       {x.constant + y.constant, x.tid + y.tid, x.ctaid + y.ctaid, x.ntid + y.ntid, x.ctaid_ntid + y.ctaid_ntid}});
}

Form product(const Form& a, const Form& b) {
  if (either_unknown(a, b)) return Form::unknown();
  if (either_open(a, b)) return {};
  if (b.is_constant()) return scaled(a, b.offset.constant);
  if (a.is_constant()) return scaled(b, a.offset.constant);
  const auto is = [](const Form& form, const ThreadOffset& wanted) {
    return form.parameter == Form::no_parameter && form.offset == wanted;
  };
  const ThreadOffset ctaid{.ctaid = 1}, ntid{.ntid = 1};
  if ((is(a, ctaid) && is(b, ntid)) || (is(a, ntid) && is(b, ctaid))) return Form::of({.ctaid_ntid = 1});
  return Form::unknown();
}

template <class T>
void add_once(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

// A negative number becomes another one where 32 bits are taken for unsigned and widened.
Form zero_extended(const Form& a) {
  const ThreadOffset& o = a.offset;
  const bool positive = o.constant >= 0 && o.tid >= 0 && o.ctaid >= 0 && o.ntid >= 0 && o.ctaid_ntid >= 0;
  return a.kind != Form::Kind::sum || positive ? a : Form::unknown();
}

class Forms {
 public:
  explicit Forms(const Function& function) : function_(function), table_(function), forms_(function.registers.size()) {}

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
  std::vector<ThreadOffset> in_32_bits() const {
    std::vector<ThreadOffset> all;
    for (std::size_t reg = 0; reg < forms_.size(); ++reg)
      if (forms_[reg].kind == Form::Kind::sum && byte_size(function_.registers[reg].type) <= 4)
        add_once(all, forms_[reg].offset);
    return all;
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
      case OperandKind::integer: return checked(Form::of({.constant = operand.value}));
      case OperandKind::special:
        switch (operand.special) {
          case SpecialRegister::tid_x: return Form::of({.tid = 1});
          case SpecialRegister::ctaid_x: return Form::of({.ctaid = 1});
          case SpecialRegister::ntid_x: return Form::of({.ntid = 1});
          // Of grids and blocks of one dimension, the only ones that are asked about.
          case SpecialRegister::tid_y:
          case SpecialRegister::tid_z:
          case SpecialRegister::ctaid_y:
          case SpecialRegister::ctaid_z: return Form::of({});
          default: return Form::unknown();
        }
      default: return Form::unknown();
    }
  }

  Form loaded(const Instruction& inst) const {
    const Operand& from = inst.operands[1];
    if (inst.d.space != Space::param || from.base != OperandKind::symbol || from.value != 0 || inst.d.vector != 1 ||
        from.symbol.kind != SymbolRef::Kind::parameter || byte_size(inst.d.type) != 8)
      return Form::unknown();
    return {Form::Kind::sum, from.symbol.index, {}};
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
        if (byte_size(d.type) < byte_size(d.type2)) return narrowed(value(inst.operands[1]));
        return extended(d.type2, byte_size(d.type) > byte_size(d.type2), value(inst.operands[1]));
      case Opcode::add: return sum(value(inst.operands[1]), value(inst.operands[2]));
      case Opcode::sub: return sum(value(inst.operands[1]), scaled(value(inst.operands[2]), -1));
      case Opcode::shl: return shifted(inst);
      case Opcode::mul: return d.half == Half::hi ? Form::unknown() : multiplied(inst);
      case Opcode::mad: return d.half == Half::hi ? Form::unknown() : sum(multiplied(inst), value(inst.operands[3]));
      default: return Form::unknown();
    }
  }
  static Form extended(Type type, bool widens, const Form& form) {
    return widens && !is_signed(type) ? zero_extended(form) : form;
  }
  // To 32 bits, into which the sums that are looked at fit (in_32_bits). An address does not.
  static Form narrowed(const Form& form) { return form.parameter == Form::no_parameter ? form : Form::unknown(); }
  Form multiplied(const Instruction& inst) const {
    const bool widens = inst.d.half == Half::wide;
    return product(extended(inst.d.type, widens, value(inst.operands[1])),
                   extended(inst.d.type, widens, value(inst.operands[2])));
  }
  Form shifted(const Instruction& inst) const {
    const Operand& by = inst.operands[2];
    if (by.kind != OperandKind::integer || by.value < 0 || by.value > 30) return Form::unknown();
    return scaled(value(inst.operands[1]), std::int64_t{1} << by.value);
  }

  const Function& function_;
  const RegisterTable table_;
  std::vector<Form> forms_;
};

// Plain loads and stores, and atomics; of others the number of bytes is not in the type.
std::optional<std::uint32_t> bytes_of(const Instruction& inst) {
  const bool plain = inst.opcode == Opcode::ld || inst.opcode == Opcode::st || inst.opcode == Opcode::ldu ||
                     inst.opcode == Opcode::atom || inst.opcode == Opcode::red;
  if (!plain || byte_size(inst.d.type) == 0) return std::nullopt;
  return static_cast<std::uint32_t>(byte_size(inst.d.type) * inst.d.vector);
}

// The largest number that it can be, of either sign.
std::int64_t bound(const ThreadOffset& offset, std::int64_t threads, std::int64_t last_block) {
  return std::abs(offset.constant) + std::abs(offset.tid) * (threads - 1) + std::abs(offset.ctaid) * last_block +
         std::abs(offset.ntid) * threads + std::abs(offset.ctaid_ntid) * threads * last_block;
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
  const std::vector<ThreadOffset> in_32_bits = forms.in_32_bits();
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const Instruction& inst = function.body[i];
    for_each_memory_effect(module, function, inst, [&](const MemoryEffect& effect) {
      if (is_block_private(effect.space)) return;
      const Operand& address = inst.operands[effect.operand];
      const Form form = address.base == OperandKind::reg ? forms[address.index] : Form::unknown();
      const auto bytes = bytes_of(inst);
      const bool followed = form.kind == Form::Kind::sum && form.parameter < found.size() && bytes;
      for (const Source& source : solver.pointed_to(i, effect.operand)) {
        if (source.kind != Source::Kind::parameter) continue;
        if (!followed || source.index != form.parameter) found[source.index].known = false;
      }
      if (!followed) return;
      BlockReach::Access access{form.offset, *bytes};
      access.offset.constant += address.value;
      add_once(found[form.parameter].accesses, access);
    });
  }
  for (BlockReach& parameter : found) parameter.in_32_bits = in_32_bits;
  return found;
}

std::optional<ByteReach> BlockReach::of(const Dim3& grid, const Dim3& block, const BlockRange& range) const {
  if (!known || range.begin >= range.end || grid.y != 1 || grid.z != 1 || block.y != 1 || block.z != 1)
    return std::nullopt;
  const auto threads = static_cast<std::int64_t>(block.x), first = static_cast<std::int64_t>(range.begin),
             last = static_cast<std::int64_t>(range.end - 1);
  if (threads < 1 || last >= most / threads) return std::nullopt;
  for (const ThreadOffset& offset : in_32_bits)
    if (bound(offset, threads, last) >= most) return std::nullopt;
  std::optional<ByteReach> all;
  for (const Access& access : accesses) {
    const ThreadOffset& o = access.offset;
    const std::int64_t fixed = o.constant + o.ntid * threads, each = o.ctaid + o.ctaid_ntid * threads;
    const std::int64_t in_block = o.tid * (threads - 1);
    const ByteReach reach{
        fixed + std::min(each * first, each * last) + std::min<std::int64_t>(in_block, 0),
        fixed + std::max(each * first, each * last) + std::max<std::int64_t>(in_block, 0) + access.bytes};
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
