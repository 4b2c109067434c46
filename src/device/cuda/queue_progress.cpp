// Copies that report their progress.
#include <algorithm>

#include "base/fail.hpp"
#include "device/cuda/progress_flag.hpp"
#include "device/cuda/queue.hpp"

namespace heddle::device::cuda {
namespace {

// A piece is reported when all of it has arrived. Each costs the link some microseconds, which is little beside the
// time that it takes: 0.3 ms and more.
constexpr std::uint64_t least_piece = std::uint64_t{16} << 20, most_piece = std::uint64_t{64} << 20, pieces = 16;
// Pieces end where neither a line nor a sector of a cache has bytes of both.
constexpr std::uint64_t line = 256;
constexpr std::uint64_t all_there = ~std::uint64_t{0};

}  // namespace

std::uint64_t CudaQueue::own_word(const ProgressFlag& flag) const {
  const auto* own = dynamic_cast<const CudaProgressFlag*>(&flag);
  if (!own || own->table() != progress_flags_.get())
    base::fail(ErrorCode::invalid_argument, "{}: the progress flag belongs to another device", state_->info().id);
  return own->address();
}

void CudaQueue::write_word(std::uint64_t word, std::uint64_t value) {
  check(state_->driver().stream_write64(stream_, word, value, 0), "reporting the progress of a copy");
}

// After a failure the flag says that everything has arrived: kernels that look at it would wait for ever.
template <class Command>
void CudaQueue::put_reporting(std::uint64_t word, Command&& command) {
  if (!held_back()) {
    chain_.end();
    return command();
  }
  held_->hold_back(
      [this, command = std::forward<Command>(command)] {
        chain_.end();
        command();
      },
      [this, word](const std::exception_ptr&) {
        const DeviceState::Current current(*state_);
        state_->driver().stream_write64(stream_, word, all_there, 0);
      },
      true);
}

void CudaQueue::begin_progress(ProgressFlag& flag, std::uint64_t begin) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  put_reporting(own_word(flag), [this, word = own_word(flag), begin] { write_word(word, begin); });
}

void CudaQueue::copy_with_progress(Span destination, Span source, ProgressFlag& flag) {
  if (destination.device != &device_ || (source.device && !source.device->info().host_memory))
    base::fail(ErrorCode::unsupported, "{}: only copies from the host to it report their progress", state_->info().id);
  destination = check_copy(destination, source);
  const DeviceState::Current current(*state_);
  const std::uint64_t word = own_word(flag);
  put_reporting(word, [this, destination, source, word] {
    try {
      copy_pieces(destination, source, word);
    } catch (const Error&) {
      state_->driver().stream_write64(stream_, word, all_there, 0);
      throw;
    }
  });
}

void CudaQueue::copy_pieces(const Span& destination, const Span& source, std::uint64_t word) {
  const std::uint64_t piece = std::clamp(source.size / pieces, least_piece, most_piece);
  for (std::uint64_t at = 0; at < source.size;) {
    std::uint64_t end = at + piece;
    end -= (destination.address + end) % line;
    end = std::min<std::uint64_t>(end, source.size);
    copy_now(destination.sub(at, end - at), source.sub(at, end - at), true, false);
    if (end < source.size) write_word(word, destination.address + end);
    at = end;
  }
  write_word(word, all_there);
}

}  // namespace heddle::device::cuda
