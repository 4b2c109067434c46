// Barriers in memory. Whoever waits for one turns in a loop of the program.
#include <fmt/format.h>

#include <cstring>

#include "device/interp/executor.hpp"
#include "ptx/semantics/mbarrier.hpp"

namespace heddle::device::interp {

namespace semantics = ptx::semantics;
using ptx::Type;

void Executor::mbarrier_instruction() {
  if (inst_->has(ptx::Modifier::pending_count)) {
    write(0, {semantics::mbarrier_pending_count(read_word(1))});
    return;
  }
  update_mbarrier();
}

void Executor::update_mbarrier() {
  const semantics::MbarrierUse use = semantics::mbarrier_use(*inst_);
  const Place place = place_of(operand(use.address), inst_->d.space);
  std::byte* at = resolve(place, sizeof(std::uint64_t), Access::read_write);
  const bool given = use.argument < inst_->operands.size() && operand(use.argument).present();
  const std::uint64_t argument = given ? read_word(use.argument) : use.otherwise;
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  const semantics::MbarrierResult result = semantics::mbarrier(use.operation, word, argument);
  if (result.misuse != semantics::MbarrierMisuse::none)
    fault(fmt::format("wrong use of the barrier at {:#x} of memory: {}", place.address, text_of(result.misuse)));
  if (result.word != word) {
    std::memcpy(at, &result.word, sizeof word);
    note_change(at);
  }
  if (use.has_result && operand(0).present()) write(0, {result.value});
}

void Executor::check_mbarrier() {
  const semantics::MbarrierUse use = semantics::mbarrier_use(*inst_);
  resolve(place_of(operand(use.address), inst_->d.space), sizeof(std::uint64_t), Access::read_write);
}

}  // namespace heddle::device::interp
