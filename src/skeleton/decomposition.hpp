// Locality-aware decomposition (Marrow, section 3.1): every array that kernels exchange is cut at the same places, so
// that a part's data stays on its device. Pure functions of numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::skeleton {

// How one kernel uses a partitioned array.
struct KernelUse {
  std::string kernel;
  std::uint64_t per_thread = 1;  // nu: elements of the array that each thread computes
  std::uint64_t group = 1;       // wgs: threads of a block
};

struct ArrayUse {
  std::string name;            // "argument 2"
  std::uint64_t elements = 0;  // of the whole array
  std::uint64_t unit = 1;      // epu: elements that no split may separate
  std::vector<KernelUse> kernels;
};

// One part of a run: its share of the work, and what its device demands.
struct PartDemand {
  double weight = 0;  // 0: no work
  std::vector<ArrayUse> arrays;
};

struct Range {
  std::uint64_t first = 0, count = 0;  // in units
  std::uint64_t end() const { return first + count; }
};

// Units of all arrays: elements / epu, the same for each. Throws invalid_argument where that is not so: the sentence
// names the array.
std::uint64_t units_of(std::span<const ArrayUse> arrays);

// The least number of units of which a part's size must be a multiple: for every array V, |V_j| is a multiple of epu(V)
// (c2) and of nu(V, K) * wgs_j(K) of each kernel K that touches it (c3, c4).
std::uint64_t quantum_of(std::span<const ArrayUse> arrays);

// One range for each part, in their order, contiguous and disjoint, together all units (c1). Each is a multiple of its
// part's quantum, except for the last one that has weight, which takes the remainder. Ranges begin at multiples of
// `alignment` units. Parts without weight get nothing, and so do parts for which too little is left.
std::vector<Range> decompose(std::uint64_t units, std::span<const PartDemand> parts, std::uint64_t alignment = 1);

// Why `units` cannot be cut into `count` parts with work; empty if they can. Names the array that has the largest
// quantum, and the kernel or unit that makes it so.
std::string why_not_split(std::uint64_t units, std::size_t count, std::span<const ArrayUse> arrays);

}  // namespace heddle::skeleton
