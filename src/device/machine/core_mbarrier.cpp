// Barriers in memory. Whoever waits for one turns in a loop of the program.
#include <fmt/format.h>

#include <cstring>

#include "device/machine/core.hpp"
#include "ptx/semantics/mbarrier.hpp"

namespace heddle::device::machine {

namespace semantics = ptx::semantics;
using ptx::Type;

void Core::count_mbarrier() { write(0, {semantics::mbarrier_pending_count(read_word(1))}); }

std::byte* Core::mbarrier_word() {
  const semantics::MbarrierUse use = semantics::mbarrier_use(*inst_);
  const Resolved word =
      resolve(place_of(operand(use.address), inst_->d.space), sizeof(std::uint64_t), Access::read_write);
  note_access(word, sizeof(std::uint64_t), AccessKind::atomic);
  return word.at;
}

void Core::update_mbarrier() {
  const semantics::MbarrierUse use = semantics::mbarrier_use(*inst_);
  const Place place = place_of(operand(use.address), inst_->d.space);
  std::byte* at = mbarrier_word();
  const bool given = use.argument < inst_->operands.size() && operand(use.argument).present();
  const std::uint64_t argument = given ? read_word(use.argument) : use.otherwise;
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  const semantics::MbarrierResult result = semantics::mbarrier(use.operation, word, argument);
  if (result.misuse != semantics::MbarrierMisuse::none)
    fault(fmt::format("wrong use of the barrier at {:#x} of memory: {}", place.address, text_of(result.misuse)));
  store(at, sizeof word, &result.word);
  if (use.has_result && operand(0).present()) write(0, {result.value});
}

}  // namespace heddle::device::machine
