// The order of a queue's commands: those that can go into the driver's stream go there at once, those after a step of
// the host are held back until it is over.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/cuda/event.hpp"
#include "device/cuda/held_commands.hpp"
#include "device/cuda/late_record.hpp"
#include "device/cuda/queue_streams.hpp"
#include "device/cuda/range_chain.hpp"
#include "device/cuda/recent_kernels.hpp"
#include "device/cuda/tracer.hpp"

namespace heddle::device::cuda {

// One thread at a time, unless noted. Calls need the GPU's context, but for those of the last group.
class CommandStream {
 public:
  CommandStream(std::shared_ptr<DeviceState> state, Tracer* tracer, int priority, const StreamTarget& target);
  CommandStream(const CommandStream&) = delete;
  CommandStream& operator=(const CommandStream&) = delete;

  // Puts a command into the stream: a function that gives it to the driver, called now or when its turn comes. After a
  // failure of a command before it `skipped` is called instead. `may_block`: the driver may wait in it, as it does in
  // copies of memory that is not pinned.
  template <class Command, class Skipped = std::nullptr_t>
  void put(Command&& command, Skipped skipped = nullptr, bool may_block = false);
  // The same for a command that is called with a launch's arguments; these are copied only where it is held back. Does
  // not end the chain of ranges: the command does.
  template <class Command, class Skipped = std::nullptr_t>
  void put_launch(std::span<const std::byte> arguments, Command&& command, Skipped skipped = nullptr);
  // Records a point of this queue, whose place among its records is next_place().
  std::uint64_t next_place() { return ++places_; }
  void record(const std::shared_ptr<CudaPoint>& point);
  // A point behind the last command, which is recorded when something asks for it. Only while nothing is held back.
  std::shared_ptr<CudaPoint> late_point();
  // Commands from here on run after the point: in the stream, or after a wait of the host for a point that is not
  // submitted or belongs to another device.
  void wait(const std::shared_ptr<const CudaPoint>& point);
  void wait_on_host(std::shared_ptr<const EventPoint> point);
  // Commands from here on run on the target, after those before.
  void set_target(const StreamTarget& target);
  bool idle();

  // For commands, while they are put into the stream.
  driver::Stream current() const { return streams_.current(); }
  unsigned processors() const { return streams_.processors(); }
  driver::Stream additional(unsigned number) { return streams_.additional(number); }
  RangeChain& chain() { return chain_; }
  void record_now(CudaPoint& point);
  Tracer::Scope trace(base::TraceEvent::Kind kind, std::string_view name = {}, std::uint64_t bytes = 0,
                      const BlockRange& blocks = {}, const LaunchConfig& config = {},
                      base::TraceEvent::Way way = base::TraceEvent::Way::within) const {
    return {tracer_, kind, id_, streams_.current(), name, bytes, blocks, config, way};
  }
  // Throws for results other than success; the message of a fault names the last kernels.
  void check(driver::Result result, std::string_view what) const;
  void remember(const std::string& kernel) { kernels_.add(kernel); }

  // These need no context.
  const std::shared_ptr<DeviceState>& state() const { return state_; }
  bool traced() const { return tracer_ != nullptr; }
  bool held_back() const { return held_ && held_->busy(); }
  // Runs a function of the host in the queue's order, on another thread.
  void call(std::function<void()> function);
  // Waits for all commands; throws the first failure.
  void synchronize();
  // Waits for all commands and destroys the streams. Before the end of whatever the commands refer to.
  void close();

 private:
  HeldCommands& held();
  void wait_now(const CudaPoint& point);

  std::shared_ptr<DeviceState> state_;
  Tracer* tracer_;
  std::uint64_t id_;
  QueueStreams streams_;
  RangeChain chain_;                    // of the last ranges in the stream
  std::shared_ptr<HeldCommands> held_;  // made at first use
  std::shared_ptr<LateRecord> late_;    // of the last late point
  std::shared_ptr<CudaPoint> late_point_;
  RecentKernels kernels_;
  std::uint64_t places_ = 0;
};

template <class Command, class Skipped>
void CommandStream::put(Command&& command, Skipped skipped, bool may_block) {
  auto alone = [this, task = Tracer::task(tracer_), command = std::forward<Command>(command)] {
    const Tracer::TaskScope scope(task);
    chain_.end();
    command();
  };
  if (held_back())
    held_->hold_back(std::move(alone), std::move(skipped), may_block);
  else
    alone();
}

template <class Command, class Skipped>
void CommandStream::put_launch(std::span<const std::byte> arguments, Command&& command, Skipped skipped) {
  if (!held_back()) return command(arguments);
  held_->hold_back(
      [task = Tracer::task(tracer_), bytes = std::vector(arguments.begin(), arguments.end()),
       command = std::forward<Command>(command)] {
        const Tracer::TaskScope scope(task);
        command(std::span<const std::byte>(bytes));
      },
      std::move(skipped));
}

}  // namespace heddle::device::cuda
