#include "device/cpu/data_job.hpp"

#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "device/cpu/fault_report.hpp"
#include "device/cpu/ready_jobs.hpp"
#include "device/cpu/services.hpp"
#include "device/cpu/worker.hpp"
#include "heddle/error.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace heddle::device::cpu {
namespace {

constexpr std::size_t piece_bytes = 256 * 1024;
// Beyond what the caches of today's CPUs hold, reading the destination's lines first is a third of the traffic.
constexpr std::size_t streamed_from = 16 << 20;

std::uint64_t pieces_of(std::size_t bytes) { return (bytes + piece_bytes - 1) / piece_bytes; }

std::size_t piece_size(std::uint64_t piece, std::size_t bytes) {
  return std::min<std::size_t>(piece_bytes, bytes - piece * piece_bytes);
}

bool overlap(const std::byte* a, const std::byte* b, std::size_t bytes) {
  const auto x = reinterpret_cast<std::uint64_t>(a), y = reinterpret_cast<std::uint64_t>(b);
  return x < y ? y - x < bytes : x - y < bytes;
}

#if defined(__x86_64__)
void stream(std::byte* destination, const std::byte* source, std::size_t bytes) {
  constexpr std::size_t line = 64;
  const std::size_t head = std::min(bytes, (line - reinterpret_cast<std::uint64_t>(destination) % line) % line);
  std::memcpy(destination, source, head);
  std::size_t i = head;
  for (; i + line <= bytes; i += line) {
    const auto* from = reinterpret_cast<const __m128i*>(source + i);
    auto* to = reinterpret_cast<__m128i*>(destination + i);
    const __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1), c = _mm_loadu_si128(from + 2),
                  d = _mm_loadu_si128(from + 3);
    _mm_stream_si128(to, a);
    _mm_stream_si128(to + 1, b);
    _mm_stream_si128(to + 2, c);
    _mm_stream_si128(to + 3, d);
  }
  _mm_sfence();  // streamed stores are not ordered with the store that says the copy is done
  std::memcpy(destination + i, source + i, bytes - i);
}
#else
void stream(std::byte* destination, const std::byte* source, std::size_t bytes) {
  std::memcpy(destination, source, bytes);
}
#endif

template <class Note>
void recorded(Note&& note) {
  try {
    note();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, no_memory_for_records());
  }
}

}  // namespace

void copy_bytes(std::byte* destination, const std::byte* source, std::size_t bytes, bool streamed) {
  if (bytes == 0) return;
  if (streamed) {
    stream(destination, source, bytes);
  } else {
    std::memmove(destination, source, bytes);
  }
}

void note_copied(const Services& services, const void* to, const void* from, std::size_t bytes) {
  if (!services.options.check.init) return;
  recorded([&] {
    services.allocator->note_copied(reinterpret_cast<std::uint64_t>(to), reinterpret_cast<std::uint64_t>(from), bytes);
  });
}

void note_filled(const Services& services, const void* to, std::size_t bytes) {
  if (!services.options.check.init) return;
  recorded([&] { services.allocator->note_written(reinterpret_cast<std::uint64_t>(to), bytes); });
}

void fill_bytes(std::byte* destination, std::size_t bytes, std::uint32_t value, unsigned value_bytes) {
  std::byte pattern[4];
  for (unsigned i = 0; i < 4; i += value_bytes) std::memcpy(pattern + i, &value, value_bytes);
  if (pattern[0] == pattern[1] && pattern[0] == pattern[2] && pattern[0] == pattern[3]) {
    std::memset(destination, static_cast<int>(pattern[0]), bytes);
    return;
  }
  // Double what is there already: as fast as copying.
  std::size_t done = std::min<std::size_t>(4, bytes);
  std::memcpy(destination, pattern, done);
  constexpr std::size_t in_cache = 16 * 1024;
  while (done < bytes) {
    const std::size_t step = std::min({done, bytes - done, in_cache});
    std::memcpy(destination + done, destination, step);
    done += step;
  }
}

std::uint64_t TracedJob::task_of(const Services& services) {
  return services.trace() == nullptr ? 0 : services.trace()->task();
}

void TracedJob::trace(base::TraceEvent::Phase phase, bool failed) {
  base::TraceEvent event;
  event.kind = kind_;
  event.phase = phase;
  event.failed = failed;
  event.command = command_;
  event.time_ns = services_.now_ns();
  event.device = "cpu";
  event.queue = owner_id;
  event.way = way_;
  event.task = task_;
  event.bytes = bytes_;
  services_.trace()->event(event);
}

void TracedJob::note_start() {
  if (services_.trace() != nullptr && !started_.exchange(true)) trace(base::TraceEvent::Phase::start, false);
}

void TracedJob::on_complete() noexcept {
  if (services_.trace() != nullptr) trace(base::TraceEvent::Phase::end, failed());
}

void TracedJob::skip() noexcept {
  if (services_.trace() == nullptr) return;
  trace(base::TraceEvent::Phase::start, false);
  trace(base::TraceEvent::Phase::end, true);
}

CopyJob::CopyJob(void* destination, const void* source, std::size_t bytes, std::uint64_t queue_id,
                 std::uint64_t command, Services& services)
    : TracedJob(base::TraceEvent::Kind::copy, bytes,
                overlap(static_cast<std::byte*>(destination), static_cast<const std::byte*>(source), bytes)
                    ? 1
                    : pieces_of(bytes),
                queue_id, command, services),
      destination_(static_cast<std::byte*>(destination)),
      source_(static_cast<const std::byte*>(source)),
      bytes_(bytes) {}

void CopyJob::on_complete() noexcept {
  try {
    note_copied(services(), destination_, source_, bytes_);
  } catch (...) {
    fail(std::current_exception());
  }
  TracedJob::on_complete();
}

void FillJob::on_complete() noexcept {
  try {
    note_filled(services(), destination_, bytes_);
  } catch (...) {
    fail(std::current_exception());
  }
  TracedJob::on_complete();
}

void CopyJob::work(Worker& worker) noexcept {
  const bool whole = overlap(destination_, source_, bytes_);  // only one thread can move bytes over themselves
  for (;;) {
    const BlockRange piece = take(1, 1);
    if (piece.empty()) return;
    note_start();
    if (has_pieces()) worker.jobs().wake_one(*this, piece.begin != 0);
    if (whole) {
      copy_bytes(destination_, source_, bytes_, false);
    } else {
      const std::size_t offset = piece.begin * piece_bytes;
      copy_bytes(destination_ + offset, source_ + offset, piece_size(piece.begin, bytes_), bytes_ >= streamed_from);
    }
    const bool last = !has_pieces();
    finish(1);
    if (last || worker.interrupted()) return;
  }
}

FillJob::FillJob(void* destination, std::size_t bytes, std::uint32_t value, unsigned value_bytes,
                 std::uint64_t queue_id, std::uint64_t command, Services& services)
    : TracedJob(base::TraceEvent::Kind::fill, bytes, pieces_of(bytes), queue_id, command, services),
      destination_(static_cast<std::byte*>(destination)),
      bytes_(bytes),
      value_(value),
      value_bytes_(value_bytes) {}

void FillJob::work(Worker& worker) noexcept {
  for (;;) {
    const BlockRange piece = take(1, 1);
    if (piece.empty()) return;
    note_start();
    if (has_pieces()) worker.jobs().wake_one(*this, piece.begin != 0);
    fill_bytes(destination_ + piece.begin * piece_bytes, piece_size(piece.begin, bytes_), value_, value_bytes_);
    const bool last = !has_pieces();
    finish(1);
    if (last || worker.interrupted()) return;
  }
}

namespace {

std::size_t rows_of_piece(const BoxExtent& extent, bool on_one_worker) {
  const std::size_t rows = extent.height * extent.depth;
  return on_one_worker ? rows : std::clamp<std::size_t>(piece_bytes / extent.width, 1, rows);
}

}  // namespace

BoxJob::BoxJob(base::TraceEvent::Kind kind, const BoxExtent& extent, bool on_one_worker,
               std::function<void(std::size_t)> row, std::uint64_t queue_id, std::uint64_t command, Services& services)
    : TracedJob(kind, extent.bytes(),
                (extent.height * extent.depth + rows_of_piece(extent, on_one_worker) - 1) /
                    rows_of_piece(extent, on_one_worker),
                queue_id, command, services),
      rows_(extent.height * extent.depth),
      rows_of_piece_(rows_of_piece(extent, on_one_worker)),
      row_(std::move(row)) {}

void BoxJob::work(Worker& worker) noexcept {
  for (;;) {
    const BlockRange piece = take(1, 1);
    if (piece.empty()) return;
    note_start();
    if (has_pieces()) worker.jobs().wake_one(*this, piece.begin != 0);
    const std::size_t first = piece.begin * rows_of_piece_, end = std::min(rows_, first + rows_of_piece_);
    try {
      for (std::size_t i = first; i < end; ++i) row_(i);
    } catch (...) {
      fail(std::current_exception());
    }
    const bool last = !has_pieces();
    finish(1);
    if (last || worker.interrupted()) return;
  }
}

namespace {

Error foreign_exception(const std::string& what) {
  return Error(ErrorCode::invalid_argument, "a host function in a queue threw what is no heddle::Error" + what);
}

}  // namespace

CallJob::CallJob(std::function<void()> function, std::uint64_t queue_id, std::uint64_t command, Services& services)
    : TracedJob(base::TraceEvent::Kind::call, 0, 1, queue_id, command, services), function_(std::move(function)) {}

void CallJob::call() noexcept {
  if (take(1, 1).empty()) return;
  note_start();
  try {
    function_();
  } catch (const Error&) {
    fail(std::current_exception());
  } catch (const std::exception& error) {
    fail(error_from([&] { return foreign_exception(": " + std::string(error.what())); }));
  } catch (...) {
    fail(error_from([] { return foreign_exception(""); }));
  }
  function_ = nullptr;  // what it holds goes before the command counts as done
  finish(1);
}

}  // namespace heddle::device::cpu
