#include "random/instruction_writer.hpp"

#include <algorithm>
#include <sstream>

namespace heddle::test::random_kernel {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Role;
using ptx::Type;

namespace {

// f32 results that are the same for every NaN among the operands, or never NaNs.
bool gives_canonical(const Choice& choice) {
  switch (choice.form->opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
    case Opcode::div:
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::min:
    case Opcode::max:
    case Opcode::abs:
    case Opcode::neg:
    case Opcode::set: return true;
    case Opcode::cvt: {
      const Type from = choice.d.type2;
      if (from == Type::f32) return choice.d.rounding != ptx::Rounding::none || choice.d.ftz || choice.d.sat;
      return from == Type::f16 || !ptx::is_float(from);
    }
    default: return false;
  }
}

bool copies(const Choice& choice) {
  const Opcode opcode = choice.form->opcode;
  if (opcode == Opcode::cvt && choice.d.type2 != Type::f32) return false;
  return opcode == Opcode::mov || opcode == Opcode::selp || opcode == Opcode::slct || opcode == Opcode::cvt;
}

// Where ptxas takes registers of any type for .bN.
bool takes_bits_of_floats(Opcode opcode) {
  switch (opcode) {
    case Opcode::mov:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::selp:
    case Opcode::popc:
    case Opcode::brev:
    case Opcode::lop3:
    case Opcode::prmt: return true;
    default: return false;
  }
}

Type integer(Type bits) {
  return bits == Type::b16 ? Type::u16 : bits == Type::b32 ? Type::u32 : bits == Type::b64 ? Type::u64 : bits;
}

constexpr const char* parts[] = {".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};

}  // namespace

bool operands_differ_on_gpus(const Choice& choice, const std::string& text) {
  std::vector<std::string> operands;
  std::istringstream rest(text.substr(text.find(' ') + 1));
  for (std::string word; rest >> word;) operands.push_back(word.substr(0, word.size() - 1));
  const auto is_number = [](const std::string& operand) { return operand.front() != '%'; };
  switch (choice.form->opcode) {
    case Opcode::bfe:
    case Opcode::bfi:
      return std::any_of(operands.end() - 2, operands.end(), [&](const std::string& o) {
        return is_number(o) && std::stoul(o) >= ptx::bit_width(choice.d.type);
      });
    case Opcode::fns: return !is_number(operands.back()) || operands.back() == "-2147483648";
    case Opcode::mul:
      return choice.d.type == Type::f32 && std::count(operands.begin(), operands.end(), "0f3F800000") != 0;
    case Opcode::min:
    case Opcode::max: return ptx::is_float(choice.d.type) && operands.size() == 3 && operands[1] == operands[2];
    default: return false;
  }
}

InstructionWriter::InstructionWriter(Random& random, const Choice& choice, Read read, Write write, Constant constant)
    : random_(random),
      choice_(choice),
      read_(std::move(read)),
      write_(std::move(write)),
      constant_(std::move(constant)),
      canonical_(gives_canonical(choice)) {
  if (!canonical_ && copies(choice) && choice.d.type == Type::f32 && random.chance(70))
    copies_floats_ = canonical_ = true;
}

std::string InstructionWriter::text() {
  std::string result = mnemonic(choice_);
  const char* separator = " ";
  for (const ptx::SlotPattern& slot : choice_.family->slots_of(*choice_.form)) {
    const bool there =
        slot.only_with != Modifier::none ? choice_.modifiers.has(slot.only_with) : !slot.optional || random_.chance(50);
    if (!there) continue;
    const std::string text = operand(slot);
    if (text.empty()) return "";
    result += slot.joined ? "|" : separator;
    result += text;
    separator = ", ";
  }
  return result + ";";
}

bool InstructionWriter::merges_halves() const {
  const auto slots = choice_.family->slots_of(*choice_.form);
  return slots[0].selectable && slots.size() == 4 && !is_simd();
}

bool InstructionWriter::is_simd() const {
  const std::string_view name = ptx::name(choice_.form->opcode);
  return name.front() == 'v' && name.back() <= '9';
}

std::string InstructionWriter::operand(const ptx::SlotPattern& slot) {
  if (slot.immediate) return std::to_string(slot.least + random_.below(slot.most - slot.least + 1u));
  const Type type = slot_type(choice_, slot);
  return slot.role == Role::use ? source(slot, type) : destination(slot, type);
}

std::string InstructionWriter::destination(const ptx::SlotPattern& slot, Type type) {
  if (slot.sink && random_.chance(5) && !sunk_ && (type != Type::pred || choice_.form->opcode != Opcode::lop3)) {
    sunk_ = true;
    return "_";
  }
  if (ptx::is_bits(type) && !takes_bits_of_floats(choice_.form->opcode)) type = integer(type);
  auto list = write_(type, type == Type::f32 && canonical_ ? Use::write : Use::write_exact, slot.relaxed);
  std::erase_if(list, [&](const Reg* reg) { return reg->name == written_; });
  if (list.empty()) return "";
  written_ = random_.pick(list)->name;
  return slot.selectable && merges_halves() ? written_ + random_.pick(parts) : written_;
}

std::string InstructionWriter::source(const ptx::SlotPattern& slot, Type type) {
  if (is_simd()) return read_(Type::u32, Use::read, false);
  if (ptx::is_bits(type) && !takes_bits_of_floats(choice_.form->opcode)) type = integer(type);
  const Opcode opcode = choice_.form->opcode;
  if (opcode == Opcode::fns && slot_name(*choice_.form, slot) == "base")
    return read_(Type::u32, Use::read_small, false);
  if ((opcode == Opcode::bfe || opcode == Opcode::bfi) && slot.rule == ptx::TypeRule::fixed)
    return random_.chance(50) ? read_(Type::u32, Use::read_small, false)
                              : std::to_string(random_.below(random_.chance(70) ? 40 : 256));
  if (slot.rule == ptx::TypeRule::fixed && type == Type::u32 && random_.chance(25))
    return std::to_string(random_.below(random_.chance(70) ? 40 : 256));
  const bool may_be_constant =
      !slot.relaxed && !slot.selectable && type != Type::pred && ptx::element_count(type) == 1 &&
      (ptx::is_integer(type) || ptx::is_bits(type) || type == Type::f32 || type == Type::f64) &&
      !(slot.rule == ptx::TypeRule::fixed && type == Type::u32);
  if (may_be_constant && random_.chance(18)) return constant_(type);
  const bool exact =
      type == Type::f32 && copies_floats_ && slot.rule == ptx::TypeRule::suffix && slot.which == copied();
  std::string text = read_(type, exact ? Use::read_exact : Use::read, slot.relaxed);
  if (text.empty()) return may_be_constant ? constant_(type) : "";
  if (slot.negatable && type == Type::pred && random_.chance(30)) text = "!" + text;
  if (slot.selectable && random_.chance(40)) text += random_.pick(parts);
  return text;
}

}  // namespace heddle::test::random_kernel
