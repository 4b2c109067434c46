#include "device/machine/machine.hpp"

#include <new>
#include <utility>

#include "device/machine/layout.hpp"

namespace heddle::device::machine {

Machine::Machine(Options chosen, const base::Clock& its_clock) : options(std::move(chosen)), clock(its_clock) {}

Machine::~Machine() {
  while (const auto left = memory.first_of(Allocation::Kind::heap)) {
    memory.remove(left->address);
    ::operator delete(reinterpret_cast<void*>(left->address), std::align_val_t{heap_alignment});
  }
}

}  // namespace heddle::device::machine
