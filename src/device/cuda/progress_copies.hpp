// Copies of a queue from the host that report their progress.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "device/cuda/command_stream.hpp"
#include "device/cuda/progress_flag.hpp"
#include "device/cuda/queue_copies.hpp"

namespace heddle::device::cuda {

class ProgressCopies {
 public:
  // `flags`: of the device. The references must outlive the commands that are put into the stream.
  ProgressCopies(const Device& device, CommandStream& commands, QueueCopies& copies,
                 std::shared_ptr<ProgressFlagTable> flags)
      : device_(device), commands_(commands), copies_(copies), flags_(std::move(flags)) {}

  // As in device::Queue.
  void begin_progress(ProgressFlag& flag, std::uint64_t begin);
  void copy_with_progress(Span destination, Span source, ProgressFlag& flag);

 private:
  // The flag's address.
  std::uint64_t word_of(const ProgressFlag& flag) const;
  void write_word(std::uint64_t word, std::uint64_t value) const;
  // The flag says that everything has arrived.
  void write_end(std::uint64_t word) const;
  template <class Command>
  void put(std::uint64_t word, Command&& command);
  void copy_pieces(const Span& destination, const Span& source, std::uint64_t word) const;

  const Device& device_;
  CommandStream& commands_;
  QueueCopies& copies_;
  std::shared_ptr<ProgressFlagTable> flags_;
};

}  // namespace heddle::device::cuda
