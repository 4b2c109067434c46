// A tree with the arguments of one run: which of them are cut, and what their kernels demand of the cuts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "knowledge/profile.hpp"
#include "skeleton/decomposition.hpp"
#include "skeleton/node.hpp"
#include "skeleton/platforms.hpp"

namespace heddle::skeleton {

// What the tree does with an argument of the run.
struct SlotUse {
  bool partitioned = false;  // by some kernel
  bool copied = false;       // read whole by some kernel
  bool written = false;
  bool used = false;         // by some kernel
  bool overwritten = false;  // the first kernel that uses it writes it without reading it
  bool resident = false;     // its elements stay on the devices
  std::size_t unit = 1;
  bool has_unit = false;         // stated, or found
  const Slot* merged = nullptr;  // its parts have arrays of their own
};

// One kernel of the tree as it is launched.
struct KernelUseOf {
  const Node* node = nullptr;
  std::vector<std::uint64_t> per_thread;  // by binding: elements of the array for each thread; 0: not partitioned
  int domain = -1;  // the binding whose elements the threads compute; the first that is partitioned, else an array
  bool sliced = false;
};

class Program {
 public:
  // Throws invalid_argument where an argument does not fit; the sentence names it.
  Program(const Tree& tree, const std::vector<Value>& values);

  const Node& root() const { return *root_; }
  const std::vector<SlotUse>& slots() const { return slots_; }
  const std::vector<KernelUseOf>& kernels() const { return kernels_; }  // depth first
  std::uint64_t units() const { return units_; }
  // A condition, an update or a meeting of all parts in some loop: launches wait for the host's functions.
  bool host_decides() const { return host_decides_; }
  // Ranges must begin at multiples of all parts' quanta: some kernel runs by ranges of its blocks.
  bool aligned() const;
  knowledge::Workload workload() const;
  // What an execution demands of the cuts. `groups`: threads of a block for each kernel, or empty.
  std::vector<ArrayUse> arrays(const Execution& execution, const std::vector<unsigned>& groups) const;
  // Throws invalid_argument for a size of blocks that none of the executions has, since they are fitted to each device.
  void check_blocks(const std::vector<Execution>& executions) const;
  unsigned block_of(std::size_t kernel, const Execution& execution, const std::vector<unsigned>& groups) const;
  // The elements of an argument that belong to a range of units; all of one that is not cut.
  std::pair<std::size_t, std::size_t> elements(unsigned slot, const Range& range) const;

 private:
  void add(const Node& node);
  void add_slot(KernelUseOf& kernel, std::size_t place);
  std::uint64_t partition(const KernelUseOf& kernel, std::size_t place, SlotUse& use);
  void look_at_loops(const Node& node);
  void check_swap(unsigned a, unsigned b) const;
  void find_units();
  void check_locality() const;
  void check_count(const Node& root) const;

  std::shared_ptr<const Node> root_;
  const std::vector<Value>* values_;  // during construction
  std::vector<std::size_t> counts_;   // elements by argument
  bool double_precision_ = false, host_decides_ = false;
  std::vector<SlotUse> slots_;
  std::vector<KernelUseOf> kernels_;
  std::uint64_t units_ = 0;
};

// Bytes of a block's dynamic shared memory. More than any device has where they are more than can be said.
inline std::uint32_t shared_bytes(const KernelOptions& options, unsigned block) {
  const std::uint64_t bytes = std::uint64_t{options.shared_per_thread} * block;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, ~std::uint32_t{0}));
}

}  // namespace heddle::skeleton
