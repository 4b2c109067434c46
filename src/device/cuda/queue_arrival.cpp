// Copies that tell how far they have come.
#include <algorithm>

#include "base/fail.hpp"
#include "device/cuda/arrival.hpp"
#include "device/cuda/queue.hpp"
#include "device/cuda/queue_put.hpp"

namespace heddle::device::cuda {
namespace {

// A piece is told of when all of it has arrived. Each costs the link some microseconds, which is little beside the time
// that it takes: 0.3 ms and more.
constexpr std::uint64_t least_piece = std::uint64_t{16} << 20, most_piece = std::uint64_t{64} << 20, pieces = 16;
// Pieces end where neither a line nor a sector of a cache has bytes of both.
constexpr std::uint64_t line = 256;
constexpr std::uint64_t all_there = ~std::uint64_t{0};

}  // namespace

std::uint64_t CudaQueue::own_word(const Arrival& arrival) const {
  const auto* own = dynamic_cast<const CudaArrival*>(&arrival);
  if (!own || own->table() != arrivals_.get())
    base::fail(ErrorCode::invalid_argument, "{}: the word for an arrival belongs to another device", state_->info().id);
  return own->address();
}

void CudaQueue::write_word(std::uint64_t word, std::uint64_t value) {
  check(state_->driver().stream_write64(stream_, word, value, 0), "telling how far a copy has come");
}

// Behind a failure it is told that all is there: who waits would wait for ever.
template <class Command>
void CudaQueue::put_telling(std::uint64_t word, Command&& command) {
  if (!held_back()) {
    chain_.end();
    return command();
  }
  host_side_->hold_back(
      [this, command = std::forward<Command>(command)] {
        chain_.end();
        command();
      },
      [this, word](const std::exception_ptr&) {
        const DeviceState::Current current(*state_);
        state_->driver().stream_write64(stream_, word, all_there, 0);
      });
}

void CudaQueue::announce(Arrival& arrival, std::uint64_t begin) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  put_telling(own_word(arrival), [this, word = own_word(arrival), begin] { write_word(word, begin); });
}

void CudaQueue::copy_telling(Span destination, Span source, Arrival& arrival) {
  if (destination.device != &device_ || (source.device && !source.device->info().host_memory))
    base::fail(ErrorCode::unsupported, "{}: only copies from the host to it tell how far they have come",
               state_->info().id);
  destination = check_copy(destination, source);
  const DeviceState::Current current(*state_);
  const std::uint64_t word = own_word(arrival);
  put_telling(word, [this, destination, source, word] {
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
