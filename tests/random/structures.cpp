#include "random/structures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "random/random.hpp"

namespace heddle::test::random_kernel {

std::string Structure::parameter() const { return fmt::format(".param .align {} .b8 {}[{}]", alignment, name, bytes); }

std::vector<Structure> structures_of(std::uint64_t seed, unsigned other_parameters) {
  constexpr std::uint64_t own_stream = 0x5d0c;
  constexpr unsigned largest_exponent = 7, most_bytes = 512;
  Random random(seed ^ own_stream << 48);
  std::vector<Structure> made;
  if (random.chance(50)) return made;
  for (unsigned i = 0, count = 1 + random.below(4); i < count; ++i) {
    Structure structure{fmt::format("structure_{}", i), 1, 1, random.below(other_parameters + 1)};
    if (!random.chance(12)) {
      structure.alignment = 1u << random.below(largest_exponent + 1);
      structure.bytes = structure.alignment * (1 + random.below(std::min(most_bytes / structure.alignment, 12u)));
    }
    made.push_back(structure);
  }
  return made;
}

}  // namespace heddle::test::random_kernel
