// How commands get into a queue, for the files that CudaQueue is written in.
#pragma once

#include <utility>

#include "device/cuda/queue.hpp"

namespace heddle::device::cuda {

template <class Command>
void CudaQueue::put(Command&& command, bool may_block) {
  auto alone = [this, task = Tracer::task(tracer_), command = std::forward<Command>(command)] {
    const Tracer::For held(task);
    chain_.end();
    command();
  };
  if (held_back())
    held_->hold_back(std::move(alone), {}, may_block);
  else
    alone();
}

}  // namespace heddle::device::cuda
