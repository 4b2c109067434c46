// Code that runs only where some lane needs it, or once for each lane.
#pragma once

#include <functional>
#include <vector>

#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_registers.hpp"

namespace heddle::device::cpu {

class Branches : private EmitterPart {
 public:
  Branches(FunctionContext& context, Registers& registers) : EmitterPart(context), registers_(registers) {}

  void when_any(Value* mask, const std::function<void()>& emit);
  // Runs `emit(lane)` for each lane of the mask, in ascending order.
  void for_each_lane(Value* mask, const std::function<void(Value*)>& emit);
  // Runs `fast` where `ok` holds (null: always) and, rarely, `slow` where it does not; gives their results.
  Value* either_way(Value* ok, const std::function<Value*()>& fast, const std::function<Value*()>& slow);
  std::vector<Value*> either_way_all(Value* ok, const std::function<std::vector<Value*>()>& fast,
                                     const std::function<std::vector<Value*>()>& slow);

 private:
  Registers& registers_;
};

}  // namespace heddle::device::cpu
