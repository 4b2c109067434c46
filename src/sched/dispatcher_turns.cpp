// Turns (turn.hpp): held tasks that threads of the program submit themselves.
#include "sched/dispatcher.hpp"

namespace heddle::sched {
namespace {

// Only its place in the order counts.
class TurnWork final : public Work {
 public:
  std::string_view name() const override { return "turn"; }
  std::size_t place() const override { return 0; }
  bool governed() const override { return false; }
  void submit(BlockRange, bool, const device::Partition*, device::Event*) override {}
  std::shared_ptr<device::Event> take_event() override { return nullptr; }
  void give_event(std::shared_ptr<device::Event>) override {}
};

}  // namespace

// The policy has nothing to decide where the turn waits for nothing.
std::shared_ptr<HeldTask> Dispatcher::take_turn(std::span<const graph::Access> accesses, base::Lock& lock) {
  const std::shared_ptr<HeldTask> turn = put_in_order(turns_, std::make_unique<TurnWork>(), accesses);
  if (turn->parents.empty()) {
    set_ready(*turn);
    return turn;
  }
  require(*turn);
  turn->awaited = true;
  dispatch();
  while (turn->state < TaskState::ready) lock.wait(changed_);
  return turn;
}

void Dispatcher::end_turn(HeldTask& turn) {
  const bool last = turn.children.empty();
  submitted(turn);
  if (!last) dispatch();
}

}  // namespace heddle::sched
