// Copies and fills of a queue.
#pragma once

#include <cstdint>

#include "device/box.hpp"
#include "device/cuda/command_stream.hpp"
#include "device/memory.hpp"

namespace heddle::device::cuda {

// What each of the public calls does and throws is that of device::Queue.
class QueueCopies {
 public:
  // `device` and `commands` must outlive the commands that are put into the stream.
  QueueCopies(const Device& device, CommandStream& commands) : device_(device), commands_(commands) {}

  void copy(Span destination, Span source);
  void fill(Span destination, std::uint32_t value, unsigned value_bytes);
  void copy_box(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent);
  void fill_box(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value, unsigned value_bytes);

  // For copies in pieces: the part of the destination that the source fills. Throws what copy() does.
  Span check_copy(Span destination, const Span& source) const;
  // Gives a copy to the driver. Needs the GPU's context.
  void copy_now(const Span& destination, const Span& source, bool from_host, bool to_host) const;

 private:
  DeviceState& state() const { return *commands_.state(); }
  void check_span(const Span& span, const char* what) const;
  void check_fill(const Span& destination, unsigned value_bytes) const;
  void fill_now(const Span& destination, std::uint32_t value, unsigned value_bytes) const;
  void copy_box_now(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) const;
  void fill_box_now(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                    unsigned value_bytes) const;

  const Device& device_;
  CommandStream& commands_;
};

}  // namespace heddle::device::cuda
