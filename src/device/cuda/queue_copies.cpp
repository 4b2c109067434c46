#include "device/cuda/queue_copies.hpp"

#include <cstring>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "device/copy_way.hpp"

namespace heddle::device::cuda {

using driver::Result;
using Kind = base::TraceEvent::Kind;

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

void QueueCopies::check_span(const Span& span, const char* what) const {
  if (span.size == 0) return;
  if (span.address == 0) base::fail(ErrorCode::invalid_argument, "the {} of a copy or fill is a null pointer", what);
  if (span.device != &device_) return;
  if (!state().spans.contains(span.address, span.size))
    base::fail(ErrorCode::invalid_argument,
               "the {} of a copy or fill, {} at {:#x}, is not within one allocation: it begins {}", what,
               base::counted(span.size, "byte"), span.address, state().spans.whereabouts(span.address));
}

void QueueCopies::copy_box(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) {
  const Span to = span_of(destination, extent, "the destination of a copy"),
             from = span_of(source, extent, "the source of a copy");
  const bool host_only = on_host(source.device) && on_host(destination.device);
  if (!host_only && is_contiguous(destination, extent) && is_contiguous(source, extent)) return copy(to, from);
  check_span(to, "destination");
  check_span(from, "source");
  state().check_lost();
  if (extent.empty()) return;
  const DeviceState::Current current(state());
  if (host_only)
    return commands_.call([destination, source, extent] {
      for (std::size_t i = 0; i < extent.height * extent.depth; ++i)
        std::memmove(reinterpret_cast<void*>(row_address(destination, extent, i)),
                     reinterpret_cast<const void*>(row_address(source, extent, i)), extent.width);
    });
  commands_.put([this, destination, source, extent] { copy_box_now(destination, source, extent); }, nullptr,
                on_host(source.device) || on_host(destination.device));
}

void QueueCopies::copy_box_now(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) const {
  const Tracer::Scope traced = commands_.trace(Kind::copy, {}, extent.bytes(), {}, {},
                                               way_of_copy(on_host(destination.device) ? nullptr : destination.device,
                                                           on_host(source.device) ? nullptr : source.device));
  const bool at_once = whole_rows(destination, extent) && whole_rows(source, extent);
  const std::size_t depth = at_once ? extent.depth : 1;
  const auto rows = [&](const BoxPlace& place) { return depth > 1 ? place.plane / place.row : extent.height; };
  for (std::size_t plane = 0; plane < extent.depth; plane += depth) {
    const driver::BoxCopy box{box_end(source, plane, rows(source)), box_end(destination, plane, rows(destination)),
                              extent.width, extent.height, depth};
    const Result result = state().driver().copy_box_async(&box, commands_.current());
    if (result != driver::success) commands_.check(result, "copying a box of " + base::counted(extent.bytes(), "byte"));
  }
}

void QueueCopies::fill_box(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                           unsigned value_bytes) {
  check_value(extent.width, value_bytes);
  const Span to = span_of(destination, extent, "the destination of a fill");
  if (is_contiguous(destination, extent)) return fill(to, value, value_bytes);
  check_fill(to, value_bytes);
  if (destination.row % value_bytes != 0 || (extent.depth > 1 && destination.plane % value_bytes != 0))
    base::fail(ErrorCode::invalid_argument, "fill with values of {} bytes: rows or planes are not aligned",
               value_bytes);
  if (extent.empty()) return;
  const DeviceState::Current current(state());
  commands_.put(
      [this, destination, extent, value, value_bytes] { fill_box_now(destination, extent, value, value_bytes); });
}

void QueueCopies::fill_box_now(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                               unsigned value_bytes) const {
  const Tracer::Scope traced = commands_.trace(Kind::fill, {}, extent.bytes());
  const Driver& cuda = state().driver();
  const std::size_t count = extent.width / value_bytes;
  for (std::size_t plane = 0; plane < extent.depth; ++plane) {
    const std::uint64_t to = destination.address + plane * destination.plane;
    const Result result =
        value_bytes == 4 ? cuda.fill_rows32_async(to, destination.row, value, count, extent.height, commands_.current())
        : value_bytes == 2 ? cuda.fill_rows16_async(to, destination.row, static_cast<unsigned short>(value), count,
                                                    extent.height, commands_.current())
                           : cuda.fill_rows8_async(to, destination.row, static_cast<unsigned char>(value), count,
                                                   extent.height, commands_.current());
    if (result != driver::success) commands_.check(result, "filling a box of " + base::counted(extent.bytes(), "byte"));
  }
}

Span QueueCopies::check_copy(Span destination, const Span& source) const {
  if (destination.size < source.size)
    base::fail(ErrorCode::invalid_argument, "a copy of {} into a span of {}", base::counted(source.size, "byte"),
               destination.size);
  destination.size = source.size;
  check_span(destination, "destination");
  check_span(source, "source");
  state().check_lost();
  return destination;
}

void QueueCopies::copy(Span destination, Span source) {
  destination = check_copy(destination, source);
  if (source.size == 0) return;
  const DeviceState::Current current(state());
  if (on_host(source.device) && on_host(destination.device))
    return commands_.call([destination, source] {
      std::memmove(reinterpret_cast<void*>(destination.address), reinterpret_cast<const void*>(source.address),
                   source.size);
    });
  commands_.put([this, destination, source, from_host = on_host(source.device),
                 to_host = on_host(destination.device)] { copy_now(destination, source, from_host, to_host); },
                nullptr, on_host(source.device) || on_host(destination.device));
}

void QueueCopies::copy_now(const Span& destination, const Span& source, bool from_host, bool to_host) const {
  const Tracer::Scope traced =
      commands_.trace(Kind::copy, {}, source.size, {}, {},
                      way_of_copy(to_host ? nullptr : destination.device, from_host ? nullptr : source.device));
  const Driver& cuda = state().driver();
  Result result = driver::success;
  if (from_host)
    result = cuda.copy_to_device_async(destination.address, reinterpret_cast<const void*>(source.address), source.size,
                                       commands_.current());
  else if (to_host)
    result = cuda.copy_to_host_async(reinterpret_cast<void*>(destination.address), source.address, source.size,
                                     commands_.current());
  else
    result = cuda.copy_async(destination.address, source.address, source.size, commands_.current());
  if (result != driver::success) commands_.check(result, "copying " + base::counted(source.size, "byte"));
}

void QueueCopies::check_fill(const Span& destination, unsigned value_bytes) const {
  check_span(destination, "destination");
  state().check_lost();
  if (destination.size == 0) return;
  if (destination.device != &device_)
    base::fail(ErrorCode::unsupported, "{}: a fill of memory of another device; use a queue of that device",
               state().info().id);
  if (destination.address % value_bytes != 0)
    base::fail(ErrorCode::invalid_argument, "fill of {:#x} with values of {} bytes: not aligned", destination.address,
               value_bytes);
}

void QueueCopies::fill(Span destination, std::uint32_t value, unsigned value_bytes) {
  check_value(destination.size, value_bytes);
  check_fill(destination, value_bytes);
  if (destination.size == 0) return;
  const DeviceState::Current current(state());
  commands_.put([this, destination, value, value_bytes] { fill_now(destination, value, value_bytes); });
}

void QueueCopies::fill_now(const Span& destination, std::uint32_t value, unsigned value_bytes) const {
  const Tracer::Scope traced = commands_.trace(Kind::fill, {}, destination.size);
  const Driver& cuda = state().driver();
  const std::size_t count = destination.size / value_bytes;
  const Result result =
      value_bytes == 4 ? cuda.fill32_async(destination.address, value, count, commands_.current())
      : value_bytes == 2
          ? cuda.fill16_async(destination.address, static_cast<unsigned short>(value), count, commands_.current())
          : cuda.fill8_async(destination.address, static_cast<unsigned char>(value), count, commands_.current());
  if (result != driver::success) commands_.check(result, "filling " + base::counted(destination.size, "byte"));
}

}  // namespace heddle::device::cuda
