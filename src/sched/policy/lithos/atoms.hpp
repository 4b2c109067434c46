// Atoms: how many blocks of a launch are submitted at a time (LithOS, section 4.3).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace heddle::sched::lithos {

struct AtomChoice {
  double left_seconds = 0;       // predicted for the blocks that are left, on the units chosen
  double atom_seconds = 300e-6;  // how long an atom is to take
  double fixed_seconds = 0;      // what each atom takes besides its share of the work
  double most_overhead = 0.1;    // of left_seconds, that the atoms may cost together
  std::uint64_t left = 1;        // blocks
  std::uint64_t multiple = 1;    // atoms end at multiples of it
  std::uint64_t wave = 0;        // blocks that run at once on these units; 0: not known
};

// n = ceil(left_seconds / atom_seconds). Fewer where atoms would cost too much.
inline std::uint64_t atom_count(const AtomChoice& choice) {
  constexpr double rounding = 1e-9;
  double n = std::ceil(choice.left_seconds / choice.atom_seconds - rounding);
  if (choice.fixed_seconds > 0)
    n = std::min(n, 1 + std::floor(choice.most_overhead * choice.left_seconds / choice.fixed_seconds));
  return static_cast<std::uint64_t>(std::clamp(n, 1.0, static_cast<double>(choice.left)));
}

// Blocks of the next atom. A wave at least, as fewer blocks take as long; and full waves, so that no units idle at its
// end.
inline std::uint64_t atom_blocks(const AtomChoice& choice) {
  const std::uint64_t n = atom_count(choice);
  std::uint64_t blocks = (choice.left + n - 1) / n;
  if (n > 1 && choice.wave > 0)
    blocks = std::max((blocks + choice.wave / 2) / choice.wave, std::uint64_t{1}) * choice.wave;
  blocks = (blocks + choice.multiple - 1) / choice.multiple * choice.multiple;
  return std::min(std::max<std::uint64_t>(blocks, 1), choice.left);
}

}  // namespace heddle::sched::lithos
