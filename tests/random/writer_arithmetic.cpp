// Instructions that compute, with any operands that suit them.
#include <array>
#include <bit>

#include "ptx/type_rules.hpp"
#include "random/instruction_writer.hpp"
#include "random/writer.hpp"

namespace heddle::test::random_kernel {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Role;
using ptx::Type;

namespace {

// ptxas 13.0 runs these whatever their guard says, or gives another NaN.
bool ptxas_forgets_guard(Opcode opcode) {
  switch (opcode) {
    case Opcode::testp:
    case Opcode::set:
    case Opcode::neg:
    case Opcode::abs:
    case Opcode::min:
    case Opcode::max: return true;
    default: return false;
  }
}

// ptxas 13.0 ends with a segmentation fault on a guarded setp whose first result goes nowhere.
bool ptxas_crashes_on_guard(const std::string& instruction) {
  return instruction.starts_with("setp.") && instruction.find(" _") != std::string::npos;
}

constexpr std::uint32_t floats[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x807fffff, 0x00800000,
                                    0x7f7fffff, 0x7f800000, 0xff800000, 0x3fc00000, 0x4b000001, 0x5f000000, 0xcf000000,
                                    0x33800000, 0x477fe000, 0x41200000, 0x3eaaaaab, 0x4f800000, 0xc2f6e979};
constexpr double doubles[] = {0.0, -0.0, 1.0,    -1.5,    0x1p-1074, 0x1.fffffffffffffp1023,
                              3.0, 1e10, 0x1p63, -0x1p31, 0.1,       255.0};

}  // namespace

std::string Writer::constant(Type type) {
  const unsigned width = ptx::bit_width(type);
  if (type == Type::f32) return fmt::format("0f{:08X}", random_.pick(floats));
  if (type == Type::f64) return fmt::format("0d{:016X}", std::bit_cast<std::uint64_t>(random_.pick(doubles)));
  const std::uint64_t top = std::uint64_t{1} << (width - 1);
  std::uint64_t value = 0;
  switch (random_.below(6)) {
    case 0: value = random_.below(5); break;
    case 1: value = std::uint64_t{1} << random_.below(width); break;
    case 2: value = (std::uint64_t{1} << random_.below(width)) - 1; break;
    case 3: value = top - 2 + random_.below(4); break;
    case 4: value = random_.bits(); break;
    default: value = random_.below(100); break;
  }
  if (width < 64) value &= (top << 1) - 1;
  if (!ptx::is_signed(type)) return width == 64 ? fmt::format("0x{:x}", value) : std::to_string(value);
  const auto number = static_cast<std::int64_t>(value << (64 - width)) >> (64 - width);
  return width == 64 && number < -0x7fffffffffffffff ? "0x8000000000000000" : std::to_string(number);
}

std::string Writer::read(const Scope& scope, Type type, Use use, bool relaxed) {
  const unsigned die = random_.below(100);
  if (die < 14 && !scope.known.empty() && ptx::register_fits(Type::b32, type, relaxed) && type != Type::f32)
    return random_.pick(scope.known).name;
  if (die < 34)
    if (const Reg* reg = uniform.pick(random_, type, relaxed, use)) return reg->name;
  const Reg* reg = varying.pick(random_, type, relaxed, use);
  return reg ? reg->name : "";
}

std::string Writer::read_uniform(Type type) {
  const Reg* reg = uniform.pick(random_, type, false, Use::read);
  return reg ? reg->name : constant(type);
}

std::string Writer::write(Type type, Use use) {
  const Reg* reg = varying.pick(random_, type, false, use);
  return reg ? reg->name : temp(type);
}

// At most 31.
std::string Writer::read_small(const Scope& scope) {
  std::vector<const Known*> small;
  for (const Known& known : scope.known)
    if (known.most < 32) small.push_back(&known);
  return small.empty() || random_.chance(30) ? std::to_string(random_.below(32)) : random_.pick(small)->name;
}

std::string Writer::guard(const Scope& scope, unsigned percent) {
  if (!random_.chance(percent)) return "";
  const std::string predicate = read(scope, Type::pred);
  return predicate.empty() ? "" : fmt::format("@{}{} ", random_.chance(40) ? "!" : "", predicate);
}

// For a branch, whose lines stand in `text`.
std::string Writer::branch_guard(const Scope& scope, unsigned percent, std::string& text) {
  if (!s_.for_gpu) return guard(scope, percent);
  const std::string predicate = random_.chance(percent) ? read(scope, Type::pred) : "";
  return predicate.empty() ? "" : fmt::format("@{}{} ", random_.chance(40) ? "!" : "", unknown(text, predicate));
}

std::string Writer::arithmetic(const Scope& scope, bool all_uniform) {
  for (;;) {
    const Choice choice = s_.catalog.pick(random_, s_.target, s_.for_gpu);
    const Registers& into = all_uniform ? uniform : varying;
    const auto reads = [&](Type type, Use use, bool relaxed) {
      if (use == Use::read_small) return all_uniform ? std::to_string(random_.below(32)) : read_small(scope);
      if (!all_uniform) return read(scope, type, use, relaxed);
      const Reg* reg = uniform.pick(random_, type, relaxed, use);
      return reg ? reg->name : std::string();
    };
    const auto writes = [&](Type type, Use use, bool relaxed) { return into.candidates(type, relaxed, use); };
    InstructionWriter writer(random_, choice, reads, writes, [&](Type type) { return constant(type); });
    std::string text = writer.text(), before;
    if (text.empty() || (s_.for_gpu && operands_differ_on_gpus(choice, text))) continue;
    const bool unguarded = s_.for_gpu && (ptxas_forgets_guard(choice.form->opcode) || ptxas_crashes_on_guard(text));
    if (s_.for_gpu) text = adapted(choice, text, before);
    std::string guarded = all_uniform || unguarded ? "" : guard(scope, 12);
    if (all_uniform && !unguarded && random_.chance(12))
      if (const Reg* reg = uniform.pick(random_, Type::pred, false, Use::read)) guarded = "@" + reg->name + " ";
    return before + "  " + guarded + text + "\n";
  }
}

// add.cc, addc.cc, ... addc and the like: the condition code is used by the next instruction.
std::string Writer::carry_chain(const Scope& scope) {
  static constexpr const char* types[] = {"u32", "s32", "u64", "s64"};
  const std::string type = random_.pick(types);
  const Type wide = type.ends_with("32") ? Type::u32 : Type::u64;
  const std::string guarded = guard(scope, 15);
  const unsigned length = 2 + random_.below(3), family = random_.below(3);
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    const bool first = i == 0, last = i + 1 == length;
    const std::string cc = first || !last || random_.chance(30) ? ".cc" : "";
    const std::string a = read(scope, wide), b = random_.chance(20) ? constant(wide) : read(scope, wide),
                      d = write(wide);
    const std::string carry = first ? "" : "c";
    if (family == 2 && random_.chance(70)) {
      line(text, "{}mad{}.{}{}.{} {}, {}, {}, {};", guarded, carry, random_.chance(50) ? "lo" : "hi", cc, type, d, a, b,
           read(scope, wide));
    } else {
      const bool subtracts = family == 1;
      line(text, "{}{}{}{}.{} {}, {}, {};", guarded, subtracts ? "sub" : "add", carry, cc, type, d, a, b);
    }
    if (!last && random_.chance(20))
      line(text, "xor.b32 {}, {}, {};", write(Type::u32), read(scope, Type::b32), read(scope, Type::b32));
  }
  return text;
}

namespace {

std::string list_of(const std::vector<std::string>& names) {
  std::string text = "{";
  for (const std::string& name : names) text += (text.size() > 1 ? ", " : "") + name;
  return text + "}";
}

}  // namespace

// mov between a register and its parts.
std::string Writer::packing(const Scope& scope) {
  struct Shape {
    Type whole, part;
    unsigned count;
  };
  static constexpr Shape shapes[] = {{Type::b64, Type::b32, 2}, {Type::b64, Type::b16, 4}, {Type::b32, Type::b16, 2}};
  const Shape shape = random_.pick(shapes);
  std::string text;
  std::vector<std::string> parts;
  const bool floats = shape.part == Type::b32 && random_.chance(25);
  const Type part = floats ? Type::f32 : shape.part == Type::b32 ? Type::u32 : Type::u16;
  if (random_.chance(50)) {
    for (unsigned i = 0; i < shape.count; ++i) parts.push_back(read(scope, part, floats ? Use::read_exact : Use::read));
    line(text, "{}mov.{} {}, {};", guard(scope, 12), ptx::name(shape.whole), write(shape.whole), list_of(parts));
    return text;
  }
  // Each part into a register of its own.
  auto list = varying.candidates(shape.part == Type::b32 ? Type::u32 : Type::u16, false, Use::write_exact);
  for (unsigned i = 0; i < shape.count; ++i) {
    if (list.empty() || random_.chance(15)) {
      parts.push_back(i > 0 || shape.count > 2 ? "_" : temp(shape.part));
      continue;
    }
    const std::size_t at = random_.below(list.size());
    parts.push_back(list[at]->name);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (parts == std::vector<std::string>(parts.size(), "_")) parts[0] = temp(shape.part);
  line(text, "{}mov.{} {}, {};", guard(scope, 12), ptx::name(shape.whole), list_of(parts), read(scope, shape.whole));
  return text;
}

// Bits as numbers and numbers as bits, made canonical where they must be.
std::string Writer::reinterpretation(const Scope& scope) {
  std::string text;
  switch (random_.below(4)) {
    case 0: {  // -0 is the neutral element
      const std::string t = temp(Type::f32);
      line(text, "mov.b32 {}, {};", t, read(scope, Type::b32));
      line(text, "add.rn.f32 {}, {}, 0f80000000;", write(Type::f32, Use::write), t);
      break;
    }
    case 1: line(text, "{}mov.b32 {}, {};", guard(scope, 12), write(Type::u32), read(scope, Type::f32)); break;
    case 2: line(text, "{}mov.f64 {}, {};", guard(scope, 12), write(Type::f64), read(scope, Type::f64)); break;
    default: {
      const std::string g = read(scope, Type::f64), p = temp(Type::pred), t = temp(Type::f64);
      line(text, "testp.number.f64 {}, {};", p, g);
      line(text, "selp.f64 {}, {}, 0d3FF0000000000000, {};", t, g, p);
      line(text, "mov.b64 {}, {};", write(Type::b64), t);
      break;
    }
  }
  return text;
}

// What index computations look like: sums and multiples of thread and loop numbers.
std::string Writer::affine_value(const Scope& scope) {
  if (scope.known.empty()) return arithmetic(scope, false);
  const std::string a = random_.pick(scope.known).name, b = random_.pick(scope.known).name, d = write(Type::u32);
  std::string text;
  const std::string c = random_.chance(60) ? std::to_string(random_.between(-9, 9)) : read_uniform(Type::u32);
  switch (random_.below(7)) {
    case 0: line(text, "mad.lo.s32 {}, {}, {}, {};", d, a, c, b); break;
    case 1: line(text, "sub.s32 {}, {}, {};", d, c, a); break;
    case 2: line(text, "shl.b32 {}, {}, {};", d, a, random_.below(6)); break;
    case 3: line(text, "add.s32 {}, {}, {};", d, a, c); break;
    case 4:
      line(text, "mul.wide.{} {}, {}, {};", random_.chance(50) ? "u32" : "s32", write(Type::b64), a, random_.below(16));
      break;
    case 5:
      line(text, "cvt.{}.{} {}, {};", random_.chance(50) ? "u64" : "s64", random_.chance(50) ? "u32" : "s32",
           write(Type::b64), a);
      break;
    default: line(text, "{} {}, {}, {};", random_.chance(50) ? "and.b32" : "xor.b32", d, a, random_.below(64)); break;
  }
  return text;
}

}  // namespace heddle::test::random_kernel
