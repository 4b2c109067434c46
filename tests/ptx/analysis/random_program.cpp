#include "ptx/analysis/random_program.hpp"

#include <stdexcept>

namespace heddle::ptx::analysis::testing {
namespace {

constexpr std::uint32_t words = 6, longs = 4, predicates = 3;

class Writer {
 public:
  Writer(Random& random, const ProgramShape& shape) : random_(random), shape_(shape) {}

  std::string text() {
    out_ =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n, .param .u64 a)\n{\n"
        "  .reg .b32 %r<6>;\n  .reg .b64 %d<4>;\n  .reg .pred %p<3>;\n";
    if (shape_.initialise) initialise();
    for (std::uint32_t b = 0; b < shape_.blocks; ++b) {
      out_ += "L" + std::to_string(b) + ":\n";
      for (std::uint32_t i = 1 + pick(shape_.instructions); i > 0; --i) instruction();
      terminator();
    }
    out_ += "  ret;\n}\n";
    return out_;
  }

 private:
  std::uint32_t pick(std::uint32_t bound) { return below(random_, bound); }
  std::string r() { return "%r" + std::to_string(pick(words)); }
  std::string d() { return "%d" + std::to_string(pick(longs)); }
  std::string p() { return "%p" + std::to_string(pick(predicates)); }
  std::string constant() {
    static const char* const values[] = {"0",  "1",  "2",  "3",  "4",   "7",     "8",
                                         "31", "32", "-1", "-4", "255", "65536", "0x7fffffff"};
    return values[pick(std::size(values))];
  }
  std::string word() { return pick(3) == 0 ? constant() : r(); }
  std::string special() {
    static const char* const names[] = {"%tid.x",  "%tid.x",    "%tid.y",   "%ctaid.x", "%ntid.x",
                                        "%laneid", "%nctaid.x", "%ctaid.y", "%ntid.y"};
    return names[pick(std::size(names))];
  }

  void initialise() {
    for (std::uint32_t i = 0; i < words; ++i) {
      out_ += "  mov.u32 %r" + std::to_string(i) + ", ";
      out_ += pick(2) == 0 ? special() : constant();
      out_ += ";\n";
    }
    for (std::uint32_t i = 0; i < longs; ++i) out_ += "  mov.u64 %d" + std::to_string(i) + ", " + constant() + ";\n";
    for (std::uint32_t i = 0; i < predicates; ++i)
      out_ += "  setp.lt.s32 %p" + std::to_string(i) + ", " + r() + ", " + constant() + ";\n";
  }

  void instruction() {
    out_ += "  ";
    if (shape_.guards && pick(6) == 0) out_ += std::string(pick(2) == 0 ? "@" : "@!") + p() + " ";
    static const char* const compares[] = {"lt.s32", "eq.s32", "ne.s32", "gt.u32", "le.s32", "ge.u32"};
    switch (pick(25)) {
      case 0: out_ += "mov.u32 " + r() + ", " + special(); break;
      case 1: out_ += "add.s32 " + r() + ", " + r() + ", " + word(); break;
      case 2: out_ += "sub.s32 " + r() + ", " + r() + ", " + word(); break;
      case 3: out_ += "mul.lo.s32 " + r() + ", " + r() + ", " + word(); break;
      case 4: out_ += "mad.lo.s32 " + r() + ", " + r() + ", " + word() + ", " + r(); break;
      case 5: out_ += "shl.b32 " + r() + ", " + r() + ", " + std::to_string(pick(6)); break;
      case 6:
        out_ += std::string(pick(2) ? "shr.u32 " : "shr.s32 ") + r() + ", " + r() + ", " + std::to_string(pick(34));
        break;
      case 7: out_ += "and.b32 " + r() + ", " + r() + ", " + word(); break;
      case 8: out_ += std::string(pick(2) ? "or.b32 " : "xor.b32 ") + r() + ", " + r() + ", " + word(); break;
      case 9:
        out_ += std::string(pick(2) ? "mul.wide.s32 " : "mul.wide.u32 ") + d() + ", " + r() + ", " + constant();
        break;
      case 10: out_ += std::string(pick(2) ? "cvt.s64.s32 " : "cvt.u64.u32 ") + d() + ", " + r(); break;
      case 11: out_ += "cvt.u32.u64 " + r() + ", " + d(); break;
      case 12: out_ += "add.s64 " + d() + ", " + d() + ", " + (pick(2) ? d() : constant()); break;
      case 13: out_ += "shl.b64 " + d() + ", " + d() + ", " + std::to_string(pick(5)); break;
      case 14: out_ += "ld.global.u32 " + r() + ", [" + d() + "]"; break;
      case 15: out_ += "ld.param.u32 " + r() + ", [n]"; break;
      case 16: out_ += "ld.param.u64 " + d() + ", [a]"; break;
      case 17: out_ += "selp.b32 " + r() + ", " + word() + ", " + word() + ", " + p(); break;
      case 18: out_ += std::string(pick(2) ? "min.s32 " : "max.u32 ") + r() + ", " + r() + ", " + word(); break;
      case 19:
        out_ += std::string(pick(2) ? "rem.u32 " : "div.u32 ") + r() + ", " + r() + ", " + std::to_string(1 + pick(9));
        break;
      case 20: out_ += "not.b32 " + r() + ", " + r(); break;
      case 21: out_ += std::string(pick(2) ? "cvt.u32.u16 " : "cvt.s32.s8 ") + r() + ", " + r(); break;
      case 22: out_ += "mov.u32 " + r() + ", " + word(); break;
      case 23:
        out_ += std::string(pick(2) ? "bfe.u32 " : "bfe.s32 ") + r() + ", " + r() + ", " + std::to_string(pick(8)) +
                ", " + std::to_string(pick(12));
        break;
      default: out_ += std::string("setp.") + compares[pick(6)] + " " + p() + ", " + r() + ", " + word(); break;
    }
    out_ += ";\n";
  }

  void terminator() {
    const auto target = [&] { return "L" + std::to_string(pick(shape_.blocks)); };
    const std::string guard = std::string(pick(2) ? "@" : "@!") + p() + " ";
    switch (pick(8)) {
      case 0: out_ += "  bra " + target() + ";\n"; break;
      case 1: out_ += "  " + guard + "ret;\n"; break;
      case 2: break;
      default: out_ += "  " + guard + "bra " + target() + ";\n"; break;
    }
  }

  Random& random_;
  const ProgramShape& shape_;
  std::string out_;
};

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

std::uint64_t low_bits(std::uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}
std::int64_t as_signed(std::uint64_t value, unsigned width) {
  const unsigned drop = 64 - width;
  return static_cast<std::int64_t>(value << drop) >> drop;
}

bool compare(Compare how, Type type, std::uint64_t a, std::uint64_t b) {
  const unsigned width = bit_width(type);
  const std::uint64_t x = low_bits(a, width), y = low_bits(b, width);
  const std::int64_t s = as_signed(x, width), t = as_signed(y, width);
  switch (how) {
    case Compare::eq: return x == y;
    case Compare::ne: return x != y;
    case Compare::lt: return is_signed(type) ? s < t : x < y;
    case Compare::le: return is_signed(type) ? s <= t : x <= y;
    case Compare::gt: return is_signed(type) ? s > t : x > y;
    default: return is_signed(type) ? s >= t : x >= y;
  }
}

std::uint64_t shift_right(const Instruction& inst, std::uint64_t value, std::uint64_t count) {
  const unsigned width = bit_width(inst.d.type);
  const auto by = std::min<std::uint64_t>(count, is_signed(inst.d.type) ? width - 1 : 63);
  if (is_signed(inst.d.type)) return low_bits(static_cast<std::uint64_t>(as_signed(value, width) >> by), width);
  return count >= width ? 0 : low_bits(value, width) >> by;
}

// bfe, bit by bit as the PTX ISA tells it.
std::uint64_t field(const Instruction& inst, std::uint64_t value, std::uint64_t position, std::uint64_t length) {
  const unsigned width = bit_width(inst.d.type);
  if (length == 0) return 0;
  const std::uint64_t top = std::min<std::uint64_t>(position + length - 1, width - 1);
  const std::uint64_t sign = is_signed(inst.d.type) ? (value >> top) & 1 : 0;
  std::uint64_t result = 0;
  for (unsigned bit = 0; bit < width; ++bit) {
    const bool inside = bit < length && position + bit < width;
    result |= (inside ? (value >> (position + bit)) & 1 : sign) << bit;
  }
  return result;
}

}  // namespace

std::string random_program(Random& random, const ProgramShape& shape) { return Writer(random, shape).text(); }

std::uint64_t ScalarMachine::special(SpecialRegister special, const LaneCoordinates& where) {
  using S = SpecialRegister;
  switch (special) {
    case S::tid_x:
    case S::tid_y:
    case S::tid_z: return where.tid[static_cast<unsigned>(special) - static_cast<unsigned>(S::tid_x)];
    case S::ntid_x:
    case S::ntid_y:
    case S::ntid_z: return where.ntid[static_cast<unsigned>(special) - static_cast<unsigned>(S::ntid_x)];
    case S::ctaid_x:
    case S::ctaid_y:
    case S::ctaid_z: return where.ctaid[static_cast<unsigned>(special) - static_cast<unsigned>(S::ctaid_x)];
    case S::nctaid_x:
    case S::nctaid_y:
    case S::nctaid_z: return where.nctaid[static_cast<unsigned>(special) - static_cast<unsigned>(S::nctaid_x)];
    case S::laneid: return where.lane;
    default: throw std::logic_error("special register");
  }
}

std::vector<std::uint64_t> ScalarMachine::evaluate(const Instruction& inst, const Read& read) const {
  const auto in = [&](std::uint16_t i) { return read(inst.operands[i], i, 0); };
  const unsigned width = std::max(1u, bit_width(inst.d.type));
  const auto low = [&](std::uint16_t i) { return low_bits(in(i), width); };
  const auto extended = [&](std::uint16_t i) {
    return is_signed(inst.d.type) ? static_cast<std::uint64_t>(as_signed(in(i), width)) : low_bits(in(i), width);
  };
  switch (inst.opcode) {
    case Opcode::mov: return {low(1)};
    case Opcode::add: return {low_bits(in(1) + in(2), width)};
    case Opcode::sub: return {low_bits(in(1) - in(2), width)};
    case Opcode::mul: return {inst.d.half == Half::wide ? extended(1) * extended(2) : low_bits(in(1) * in(2), width)};
    case Opcode::mad: return {low_bits(in(1) * in(2) + in(3), width)};
    case Opcode::shl: return {in(2) >= width ? 0 : low_bits(in(1) << in(2), width)};
    case Opcode::shr: return {shift_right(inst, in(1), in(2))};
    case Opcode::and_: return {low(1) & low(2)};
    case Opcode::or_: return {low(1) | low(2)};
    case Opcode::xor_: return {low(1) ^ low(2)};
    case Opcode::not_: return {low_bits(~in(1), width)};
    case Opcode::min: return {as_signed(in(1), width) < as_signed(in(2), width) ? low(1) : low(2)};
    case Opcode::max: return {low(1) > low(2) ? low(1) : low(2)};
    case Opcode::div: return {low(1) / low(2)};
    case Opcode::rem: return {low(1) % low(2)};
    case Opcode::bfe: return {field(inst, low(1), in(2) & 0xff, in(3) & 0xff)};
    case Opcode::selp: return {in(3) ? low(1) : low(2)};
    case Opcode::setp:
      return {
          compare(inst.d.compare, inst.d.type, in(1 + (inst.operands.size() > 3)), in(2 + (inst.operands.size() > 3)))};
    case Opcode::cvt: {
      const unsigned from = bit_width(inst.d.type2);
      const std::uint64_t value =
          is_signed(inst.d.type2) ? static_cast<std::uint64_t>(as_signed(in(1), from)) : low_bits(in(1), from);
      return {low_bits(value, width)};
    }
    case Opcode::ld:
      if (inst.d.space == Space::param) return {inst.operands[1].symbol.index == 0 ? low_bits(n_, 32) : a_};
      return {low_bits(mix(read(inst.operands[1], 1, 0)), width)};
    default: throw std::logic_error("instruction");
  }
}

GroupSchedule::GroupSchedule(const ControlFlowGraph& cfg, std::uint32_t lanes)
    : cfg_(cfg), at_(lanes, 0), waits_for_(lanes, no_node) {}

void GroupSchedule::start_turns() {
  const auto running_in = [&](std::uint32_t loop) {
    for (std::size_t lane = 0; lane < at_.size(); ++lane) {
      if (at_[lane] == no_node || !cfg_.loop_contains(loop, at_[lane])) continue;
      // One that waits for the next turn of an inner loop still runs this one.
      if (waits_for_[lane] == no_node ||
          (waits_for_[lane] != loop && cfg_.loop_contains(loop, cfg_.loops()[waits_for_[lane]].header) &&
           cfg_.loops()[waits_for_[lane]].depth > cfg_.loops()[loop].depth))
        return true;
    }
    return false;
  };
  for (bool again = true; again;) {
    again = false;
    for (std::size_t lane = 0; lane < at_.size() && !again; ++lane) {
      const std::uint32_t loop = waits_for_[lane];
      if (at_[lane] == no_node || loop == no_node || running_in(loop)) continue;
      for (std::uint32_t& waits : waits_for_)
        if (waits == loop) waits = no_node;
      again = true;
    }
  }
}

bool GroupSchedule::next(std::uint32_t& block, std::vector<std::uint32_t>& lanes) {
  start_turns();
  block = no_node;
  for (std::size_t lane = 0; lane < at_.size(); ++lane) {
    if (at_[lane] == no_node || waits_for_[lane] != no_node) continue;
    if (block == no_node || cfg_.position(at_[lane]) < cfg_.position(block)) block = at_[lane];
  }
  lanes.clear();
  for (std::uint32_t lane = 0; lane < at_.size(); ++lane)
    if (block != no_node && at_[lane] == block && waits_for_[lane] == no_node) lanes.push_back(lane);
  return block != no_node;
}

void GroupSchedule::go(std::uint32_t lane, std::uint32_t from, std::uint32_t to) {
  at_[lane] = to;
  if (to == no_node || cfg_.position(to) > cfg_.position(from)) return;
  std::uint32_t loop = cfg_.loop_of(to);
  while (!cfg_.loop_contains(loop, from)) loop = cfg_.loops()[loop].parent;
  waits_for_[lane] = loop;
}

}  // namespace heddle::ptx::analysis::testing
