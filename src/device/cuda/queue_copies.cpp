// Copies and fills.
#include <cstring>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "device/copy_way.hpp"
#include "device/cuda/queue.hpp"

namespace heddle::device::cuda {

using driver::Result;
using Kind = base::TraceEvent::Kind;

void CudaQueue::check_span(const Span& span, const char* what) const {
  if (span.size == 0) return;
  if (span.address == 0) base::fail(ErrorCode::invalid_argument, "the {} of a copy or fill is a null pointer", what);
  if (span.device != &device_) return;
  if (!state_->spans.contains(span.address, span.size))
    base::fail(ErrorCode::invalid_argument,
               "the {} of a copy or fill, {} at {:#x}, is not within one allocation: it begins {}", what,
               base::counted(span.size, "byte"), span.address, state_->spans.whereabouts(span.address));
}

namespace {

bool on_host(const Device* device) { return !device || device->info().host_memory; }

driver::BoxEnd box_end(const BoxPlace& place, std::size_t plane, std::size_t rows) {
  driver::BoxEnd end;
  const std::uint64_t address = place.address + plane * place.plane;
  end.memory_type = on_host(place.device) ? driver::memory_of_host : driver::memory_of_device;
  if (on_host(place.device))
    end.host = reinterpret_cast<const void*>(address);
  else
    end.device = address;
  end.row = place.row;
  end.rows = rows;
  return end;
}

// The driver counts the distance of planes in rows.
bool whole_rows(const BoxPlace& place, const BoxExtent& extent) {
  return extent.depth == 1 || (place.row > 0 && place.plane % place.row == 0);
}

void check_value(std::size_t bytes, unsigned value_bytes) {
  if (value_bytes != 1 && value_bytes != 2 && value_bytes != 4)
    base::fail(ErrorCode::invalid_argument, "fill with values of {} bytes; 1, 2 and 4 are possible", value_bytes);
  if (bytes % value_bytes != 0)
    base::fail(ErrorCode::invalid_argument, "fill of {} with values of {}", base::counted(bytes, "byte"),
               base::counted(value_bytes, "byte"));
}

}  // namespace

void CudaQueue::copy_box(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) {
  const Span to = span_of(destination, extent, "the destination of a copy"),
             from = span_of(source, extent, "the source of a copy");
  const bool host_only = on_host(source.device) && on_host(destination.device);
  if (!host_only && is_contiguous(destination, extent) && is_contiguous(source, extent)) return copy(to, from);
  check_span(to, "destination");
  check_span(from, "source");
  state_->check_lost();
  if (extent.empty()) return;
  const DeviceState::Current current(*state_);
  if (host_only)
    return call([destination, source, extent] {
      for (std::size_t i = 0; i < extent.height * extent.depth; ++i)
        std::memmove(reinterpret_cast<void*>(row_address(destination, extent, i)),
                     reinterpret_cast<const void*>(row_address(source, extent, i)), extent.width);
    });
  put([this, destination, source, extent] { copy_box_now(destination, source, extent); },
      on_host(source.device) || on_host(destination.device));
}

void CudaQueue::copy_box_now(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) {
  const Tracer::Scope traced(tracer_, Kind::copy, id_, stream_, {}, extent.bytes(), {}, {},
                             way_of_copy(on_host(destination.device) ? nullptr : destination.device,
                                         on_host(source.device) ? nullptr : source.device));
  const bool at_once = whole_rows(destination, extent) && whole_rows(source, extent);
  const std::size_t depth = at_once ? extent.depth : 1;
  const auto rows = [&](const BoxPlace& place) { return depth > 1 ? place.plane / place.row : extent.height; };
  for (std::size_t plane = 0; plane < extent.depth; plane += depth) {
    const driver::BoxCopy box{box_end(source, plane, rows(source)), box_end(destination, plane, rows(destination)),
                              extent.width, extent.height, depth};
    const Result result = state_->driver().copy_box_async(&box, stream_);
    if (result != driver::success) check(result, "copying a box of " + base::counted(extent.bytes(), "byte"));
  }
}

void CudaQueue::fill_box(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                         unsigned value_bytes) {
  check_value(extent.width, value_bytes);
  const Span to = span_of(destination, extent, "the destination of a fill");
  if (is_contiguous(destination, extent)) return fill(to, value, value_bytes);
  check_fill(to, value_bytes);
  if (destination.row % value_bytes != 0 || (extent.depth > 1 && destination.plane % value_bytes != 0))
    base::fail(ErrorCode::invalid_argument, "fill with values of {} bytes: rows or planes are not aligned",
               value_bytes);
  if (extent.empty()) return;
  const DeviceState::Current current(*state_);
  put([this, destination, extent, value, value_bytes] { fill_box_now(destination, extent, value, value_bytes); });
}

void CudaQueue::fill_box_now(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                             unsigned value_bytes) {
  const Tracer::Scope traced(tracer_, Kind::fill, id_, stream_, {}, extent.bytes());
  const Driver& cuda = state_->driver();
  const std::size_t count = extent.width / value_bytes;
  for (std::size_t plane = 0; plane < extent.depth; ++plane) {
    const std::uint64_t to = destination.address + plane * destination.plane;
    const Result result =
        value_bytes == 4   ? cuda.fill_rows32_async(to, destination.row, value, count, extent.height, stream_)
        : value_bytes == 2 ? cuda.fill_rows16_async(to, destination.row, static_cast<unsigned short>(value), count,
                                                    extent.height, stream_)
                           : cuda.fill_rows8_async(to, destination.row, static_cast<unsigned char>(value), count,
                                                   extent.height, stream_);
    if (result != driver::success) check(result, "filling a box of " + base::counted(extent.bytes(), "byte"));
  }
}

Span CudaQueue::check_copy(Span destination, const Span& source) const {
  if (destination.size < source.size)
    base::fail(ErrorCode::invalid_argument, "a copy of {} into a span of {}", base::counted(source.size, "byte"),
               destination.size);
  destination.size = source.size;
  check_span(destination, "destination");
  check_span(source, "source");
  state_->check_lost();
  return destination;
}

void CudaQueue::copy(Span destination, Span source) {
  destination = check_copy(destination, source);
  if (source.size == 0) return;
  const DeviceState::Current current(*state_);
  if (on_host(source.device) && on_host(destination.device))
    return call([destination, source] {
      std::memmove(reinterpret_cast<void*>(destination.address), reinterpret_cast<const void*>(source.address),
                   source.size);
    });
  put([this, destination, source, from_host = on_host(source.device),
       to_host = on_host(destination.device)] { copy_now(destination, source, from_host, to_host); },
      on_host(source.device) || on_host(destination.device));
}

void CudaQueue::copy_now(const Span& destination, const Span& source, bool from_host, bool to_host) {
  const Tracer::Scope traced(tracer_, Kind::copy, id_, stream_, {}, source.size, {}, {},
                             way_of_copy(to_host ? nullptr : destination.device, from_host ? nullptr : source.device));
  const Driver& cuda = state_->driver();
  Result result = driver::success;
  if (from_host)
    result = cuda.copy_to_device_async(destination.address, reinterpret_cast<const void*>(source.address), source.size,
                                       stream_);
  else if (to_host)
    result =
        cuda.copy_to_host_async(reinterpret_cast<void*>(destination.address), source.address, source.size, stream_);
  else
    result = cuda.copy_async(destination.address, source.address, source.size, stream_);
  if (result != driver::success) check(result, "copying " + base::counted(source.size, "byte"));
}

void CudaQueue::check_fill(const Span& destination, unsigned value_bytes) const {
  check_span(destination, "destination");
  state_->check_lost();
  if (destination.size == 0) return;
  if (destination.device != &device_)
    base::fail(ErrorCode::unsupported, "{}: a fill of memory of another device; use a queue of that device",
               state_->info().id);
  if (destination.address % value_bytes != 0)
    base::fail(ErrorCode::invalid_argument, "fill of {:#x} with values of {} bytes: not aligned", destination.address,
               value_bytes);
}

void CudaQueue::fill(Span destination, std::uint32_t value, unsigned value_bytes) {
  check_value(destination.size, value_bytes);
  check_fill(destination, value_bytes);
  if (destination.size == 0) return;
  const DeviceState::Current current(*state_);
  put([this, destination, value, value_bytes] { fill_now(destination, value, value_bytes); });
}

void CudaQueue::fill_now(const Span& destination, std::uint32_t value, unsigned value_bytes) {
  const Tracer::Scope traced(tracer_, Kind::fill, id_, stream_, {}, destination.size);
  const Driver& cuda = state_->driver();
  const std::size_t count = destination.size / value_bytes;
  const Result result = value_bytes == 4 ? cuda.fill32_async(destination.address, value, count, stream_)
                        : value_bytes == 2
                            ? cuda.fill16_async(destination.address, static_cast<unsigned short>(value), count, stream_)
                            : cuda.fill8_async(destination.address, static_cast<unsigned char>(value), count, stream_);
  if (result != driver::success) check(result, "filling " + base::counted(destination.size, "byte"));
}

}  // namespace heddle::device::cuda
