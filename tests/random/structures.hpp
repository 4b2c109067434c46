// Structures that a random kernel takes by value: of every alignment to 128 bytes, of one field or an array of any
// length, and empty ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::test::random_kernel {

struct Structure {
  std::string name;
  unsigned alignment = 1;
  unsigned bytes = 1;   // a multiple of the alignment; 1, as in C++, of an empty one
  unsigned behind = 0;  // how many of the kernel's other parameters

  std::string parameter() const;
};

// Half of the seeds have some. They are drawn apart from all else: kernels without any do not depend on how.
std::vector<Structure> structures_of(std::uint64_t seed, unsigned other_parameters);

// `others`, each structure's text among them where it belongs. `text(structure)` gives it.
template <class Text>
std::vector<std::string> with_structures(const std::vector<std::string>& others,
                                         const std::vector<Structure>& structures, Text text) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i <= others.size(); ++i) {
    for (const Structure& structure : structures)
      if (structure.behind == i) all.push_back(text(structure));
    if (i < others.size()) all.push_back(others[i]);
  }
  return all;
}

}  // namespace heddle::test::random_kernel
