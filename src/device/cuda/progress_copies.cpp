#include "device/cuda/progress_copies.hpp"

#include <algorithm>

#include "base/fail.hpp"

namespace heddle::device::cuda {
namespace {

// A piece is reported when all of it has arrived. Each report costs the link some microseconds; the copy of a piece
// takes 0.3 ms and more.
constexpr std::uint64_t least_piece = std::uint64_t{16} << 20, most_piece = std::uint64_t{64} << 20, pieces = 16;
// Pieces end where neither a line nor a sector of a cache has bytes of both.
constexpr std::uint64_t line = 256;
constexpr std::uint64_t all_arrived = ~std::uint64_t{0};

}  // namespace

std::uint64_t ProgressCopies::word_of(const ProgressFlag& flag) const {
  const auto* own = dynamic_cast<const CudaProgressFlag*>(&flag);
  if (!own || own->table() != flags_.get())
    base::fail(ErrorCode::invalid_argument, "{}: the progress flag belongs to another device",
               commands_.state()->info().id);
  return own->address();
}

void ProgressCopies::write_word(std::uint64_t word, std::uint64_t value) const {
  commands_.check(commands_.state()->driver().stream_write64(commands_.current(), word, value, 0),
                  "reporting the progress of a copy");
}

void ProgressCopies::write_end(std::uint64_t word) const {
  commands_.state()->driver().stream_write64(commands_.current(), word, all_arrived, 0);
}

// After a failure the flag says that everything has arrived: kernels that poll it would wait for ever.
template <class Command>
void ProgressCopies::put(std::uint64_t word, Command&& command) {
  const auto skipped = [this, word](const std::exception_ptr&) {
    const DeviceState::Current scope(*commands_.state());
    write_end(word);
  };
  commands_.put(std::forward<Command>(command), skipped, true);
}

void ProgressCopies::begin_progress(ProgressFlag& flag, std::uint64_t begin) {
  commands_.state()->check_lost();
  const DeviceState::Current scope(*commands_.state());
  const std::uint64_t word = word_of(flag);
  put(word, [this, word, begin] { write_word(word, begin); });
}

void ProgressCopies::copy_with_progress(Span destination, Span source, ProgressFlag& flag) {
  if (destination.device != &device_ || (source.device && !source.device->info().host_memory))
    base::fail(ErrorCode::unsupported, "{}: only copies from the host to it report their progress",
               commands_.state()->info().id);
  destination = copies_.check_copy(destination, source);
  const DeviceState::Current scope(*commands_.state());
  const std::uint64_t word = word_of(flag);
  put(word, [this, destination, source, word] {
    try {
      copy_pieces(destination, source, word);
    } catch (const Error&) {
      write_end(word);
      throw;
    }
  });
}

void ProgressCopies::copy_pieces(const Span& destination, const Span& source, std::uint64_t word) const {
  const std::uint64_t piece = std::clamp(source.size / pieces, least_piece, most_piece);
  for (std::uint64_t at = 0; at < source.size;) {
    std::uint64_t end = at + piece;
    end -= (destination.address + end) % line;
    end = std::min<std::uint64_t>(end, source.size);
    copies_.copy_now(destination.sub(at, end - at), source.sub(at, end - at), true, false);
    if (end < source.size) write_word(word, destination.address + end);
    at = end;
  }
  write_word(word, all_arrived);
}

}  // namespace heddle::device::cuda
