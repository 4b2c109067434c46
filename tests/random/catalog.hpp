// The instructions whose result depends on their operands alone, taken from the table of forms.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ptx/form_table.hpp"
#include "random/random.hpp"

namespace heddle::test::random_kernel {

struct Target {
  unsigned ptx = 83, sm = 90;
};

// Kernels for GPUs are for this one and older ones.
inline constexpr Target newest_gpu{83, 90};

struct Choice {
  const ptx::FormFamily* family = nullptr;
  const ptx::Form* form = nullptr;
  ptx::ModifierList modifiers;
  ptx::Decoded d;
};

class Catalog {
 public:
  Catalog();
  // An instruction that the target has and whose result PTX defines to the bit.
  // `for_gpu`: and that GPUs execute as PTX says.
  Choice pick(Random& random, const Target& target, bool for_gpu = false);

 private:
  struct Entry {
    const ptx::FormFamily* family;
    std::vector<const ptx::Form*> forms;
  };
  bool is_exact(const Choice& choice);

  std::vector<Entry> common_, others_;
  std::map<std::string, bool> known_;  // by mnemonic with suffixes: can be evaluated
};

std::string mnemonic(const Choice& choice);
// The type of an operand, by the table's rules.
ptx::Type slot_type(const Choice& choice, const ptx::SlotPattern& slot);

}  // namespace heddle::test::random_kernel
