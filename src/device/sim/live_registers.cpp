#include "device/sim/live_registers.hpp"

#include <algorithm>

#include "device/sim/issue_group.hpp"
#include "ptx/analysis/flow/liveness.hpp"

namespace heddle::device::sim {

const LiveRegisters::Function& LiveRegisters::function_of(const machine::Code& code) {
  const std::lock_guard lock(mutex_);
  const auto [found, made] = functions_.try_emplace(&code);
  Function& function = found->second;
  if (!made) return function;
  const ptx::Function& text = *code.function;
  const ptx::analysis::ControlFlowGraph cfg(text, &module_);
  const ptx::analysis::RegisterTable table(text);
  const ptx::analysis::Liveness liveness(cfg, text, table);
  function.live.resize(code.operations.size() + 1);  // nothing is live at the end of the text
  for (const std::uint32_t block : cfg.order())
    liveness.walk_back(cfg, block, [&](std::uint32_t at, const ptx::analysis::BitMatrix& live) {
      live.for_each(0, [&](std::uint32_t reg) { function.live[at].push_back(reg); });
    });
  for (const auto& reg : text.registers) {
    const unsigned bits = reg.type == ptx::Type::pred ? 0 : ptx::bit_width(reg.type);
    function.words.push_back(static_cast<std::uint8_t>((bits + 31) / 32));
  }
  return function;
}

unsigned LiveRegisters::of(const machine::Block& block, const machine::Warp& warp, unsigned all) {
  std::vector<std::uint32_t> places, live;
  const Function* function = nullptr;
  const machine::Code* code = nullptr;
  for (unsigned i = 0; i < warp.count; ++i) {
    const machine::Thread& thread = block.thread(warp, i);
    if (thread.state == machine::ThreadState::exited) continue;
    const Place place = place_of(thread);
    if (place.depth > 1) return all;
    if (place.code != code) function = &function_of(*place.code);
    code = place.code;
    if (std::find(places.begin(), places.end(), place.pc) == places.end()) places.push_back(place.pc);
  }
  for (const std::uint32_t pc : places) live.insert(live.end(), function->live[pc].begin(), function->live[pc].end());
  std::sort(live.begin(), live.end());
  live.erase(std::unique(live.begin(), live.end()), live.end());
  unsigned words = 0;
  for (const std::uint32_t reg : live) words += function->words[reg];
  return std::min(words, all);
}

}  // namespace heddle::device::sim
