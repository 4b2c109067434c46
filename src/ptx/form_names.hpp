// The names that the notation of forms (form_text.hpp) uses: suffixes, mnemonics, and sets of suffixes.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "ptx/instruction.hpp"
#include "ptx/type_names.hpp"

namespace heddle::ptx::form_text {

struct NamedSet {
  std::string_view name, alternatives;
};
inline constexpr NamedSet named_sets[] = {
    {"rnd", "rn|rz|rm|rp"},
    {"irnd", "rni|rzi|rmi|rpi"},
    {"int", "u16|u32|u64|s16|s32|s64"},
    {"cmp", "eq|ne|lt|le|gt|ge"},
    {"cmpu", "eq|ne|lo|ls|hi|hs|lt|le|gt|ge"},
    {"cmpf", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"bool", "and|or|xor"},
    {"scope", "cta|cluster|gpu|sys"},
    {"mem", "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"shared", "shared|shared::cta|shared::cluster"},
    {"evict1", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"evict2", "L2::evict_normal|L2::evict_first|L2::evict_last"},
    {"prefetch", "L2::64B|L2::128B|L2::256B"},
    {"ldspace", "const|global|local|param|param::entry|param::func|shared|shared::cta|shared::cluster"},
    {"stspace", "global|local|param|param::func|shared|shared::cta|shared::cluster"},
    {"rwspace", "global|shared|shared::cta|shared::cluster"},
    {"ldcache", "ca|cg|cs|lu|cv"},
    {"stcache", "wb|cg|cs|wt"},
    {"rmworder", "relaxed|acquire|release|acq_rel"},
    {"redorder", "relaxed|release"},
    {"dim", "1d|2d|3d|4d|5d"},
    {"im2col", "im2col|im2col::w|im2col::w::128"},
    {"ctagroup", "cta_group::1|cta_group::2"},
    {"wspace", "global|shared|shared::cta"},
    {"f8f6f4", "e4m3|e5m2|e3m2|e2m3|e2m1"},
    {"sp", "sp|sp::ordered_metadata"},
    {"n8",
     "m64n8k8|m64n16k8|m64n24k8|m64n32k8|m64n40k8|m64n48k8|m64n56k8|m64n64k8|m64n72k8|m64n80k8|m64n88k8|m64n96k8|"
     "m64n104k8|m64n112k8|m64n120k8|m64n128k8|m64n136k8|m64n144k8|m64n152k8|m64n160k8|m64n168k8|m64n176k8|"
     "m64n184k8|m64n192k8|m64n200k8|m64n208k8|m64n216k8|m64n224k8|m64n232k8|m64n240k8|m64n248k8|m64n256k8"},
    {"n16",
     "m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|m64n72k16|m64n80k16|"
     "m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|m64n136k16|m64n144k16|m64n152k16|"
     "m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|m64n200k16|m64n208k16|m64n216k16|m64n224k16|"
     "m64n232k16|m64n240k16|m64n248k16|m64n256k16"},
    {"n32",
     "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|m64n72k32|m64n80k32|"
     "m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|m64n136k32|m64n144k32|m64n152k32|"
     "m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|m64n200k32|m64n208k32|m64n216k32|m64n224k32|"
     "m64n232k32|m64n240k32|m64n248k32|m64n256k32"},
    {"n64",
     "m64n8k64|m64n16k64|m64n24k64|m64n32k64|m64n40k64|m64n48k64|m64n56k64|m64n64k64|m64n72k64|m64n80k64|"
     "m64n88k64|m64n96k64|m64n104k64|m64n112k64|m64n120k64|m64n128k64|m64n136k64|m64n144k64|m64n152k64|"
     "m64n160k64|m64n168k64|m64n176k64|m64n184k64|m64n192k64|m64n200k64|m64n208k64|m64n216k64|m64n224k64|"
     "m64n232k64|m64n240k64|m64n248k64|m64n256k64"},
    {"n32i",
     "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n48k32|m64n64k32|m64n80k32|m64n96k32|m64n112k32|m64n128k32|"
     "m64n144k32|m64n160k32|m64n176k32|m64n192k32|m64n208k32|m64n224k32|m64n240k32|m64n256k32"},
    {"n64i",
     "m64n8k64|m64n16k64|m64n24k64|m64n32k64|m64n48k64|m64n64k64|m64n80k64|m64n96k64|m64n112k64|m64n128k64|"
     "m64n144k64|m64n160k64|m64n176k64|m64n192k64|m64n208k64|m64n224k64|m64n240k64|m64n256k64"},
    {"n256i",
     "m64n8k256|m64n16k256|m64n24k256|m64n32k256|m64n48k256|m64n64k256|m64n80k256|m64n96k256|m64n112k256|"
     "m64n128k256|m64n144k256|m64n160k256|m64n176k256|m64n192k256|m64n208k256|m64n224k256|m64n240k256|m64n256k256"},
};

inline constexpr std::string_view opcode_texts[] = {
#define HEDDLE_OPCODE(name, text) text,
#include "ptx/opcode.def"
#undef HEDDLE_OPCODE
};
inline constexpr std::string_view modifier_texts[] = {
    "",
#define HEDDLE_MODIFIER(name, text) text,
#include "ptx/modifier.def"
#undef HEDDLE_MODIFIER
};
inline constexpr unsigned first_type = static_cast<unsigned>(Modifier::first_type_);
inline constexpr unsigned modifier_count = first_type + static_cast<unsigned>(Type::count_);

constexpr std::string_view modifier_text(unsigned m) {
  return m < first_type ? modifier_texts[m] : type_names[m - first_type];
}

// Open addressing over all suffix names: a linear search for each of some thousand names would be slow to compile.
class NameTable {
 public:
  consteval NameTable() {
    for (unsigned m = 1; m < modifier_count; ++m) {
      if (modifier_text(m).empty()) continue;
      unsigned at = hash(modifier_text(m));
      while (slots_[at] != 0) at = (at + 1) % size;
      slots_[at] = static_cast<std::uint16_t>(m);
    }
  }
  constexpr unsigned find(std::string_view text) const {
    for (unsigned at = hash(text); slots_[at] != 0; at = (at + 1) % size)
      if (modifier_text(slots_[at]) == text) return slots_[at];
    throw "a form names a suffix that modifier.def does not have";
  }

 private:
  static constexpr unsigned size = 2048;
  static constexpr unsigned hash(std::string_view text) {
    std::uint32_t h = 2166136261u;
    for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    return (h ^ (h >> 15)) % size;
  }
  std::array<std::uint16_t, size> slots_{};
};
inline constexpr NameTable names;

}  // namespace heddle::ptx::form_text
