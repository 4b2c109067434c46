// Fills. The functions that have no stream use the default stream.
#include "interpose/record.hpp"

using namespace heddle::interpose;
using heddle::base::TraceEvent;

namespace {

template <class Submit>
CUresult fill(CUstream stream, std::uint64_t bytes, Submit&& submit) {
  return record(
      stream,
      [&](Timeline&, TraceEvent& event, std::string&) {
        event.kind = TraceEvent::Kind::fill;
        event.bytes = bytes;
      },
      submit);
}

}  // namespace

#define HEDDLE_FILL(symbol, Value, own)                                                                         \
  HEDDLE_INTERPOSER(symbol)(CUdeviceptr to, Value value, size_t count) {                                        \
    return fill(own(nullptr), count * sizeof(Value), [&] { return HEDDLE_FORWARD(symbol, to, value, count); }); \
  }
#define HEDDLE_FILL_ASYNC(symbol, Value, own)                                                                          \
  HEDDLE_INTERPOSER(symbol)(CUdeviceptr to, Value value, size_t count, CUstream stream) {                              \
    return fill(own(stream), count * sizeof(Value), [&] { return HEDDLE_FORWARD(symbol, to, value, count, stream); }); \
  }
#define HEDDLE_FILL_ROWS(symbol, Value, own)                                                      \
  HEDDLE_INTERPOSER(symbol)                                                                       \
  (CUdeviceptr to, size_t pitch, Value value, size_t width, size_t height, CUstream stream) {     \
    return fill(own(stream), width * height * sizeof(Value),                                      \
                [&] { return HEDDLE_FORWARD(symbol, to, pitch, value, width, height, stream); }); \
  }
#define HEDDLE_FILLS(bits, Value)                                       \
  HEDDLE_FILL(cuMemsetD##bits##_v2, Value, legacy_if_default)           \
  HEDDLE_FILL(cuMemsetD##bits##_v2_ptds, Value, own_if_default)         \
  HEDDLE_FILL_ASYNC(cuMemsetD##bits##Async, Value, legacy_if_default)   \
  HEDDLE_FILL_ASYNC(cuMemsetD##bits##Async_ptsz, Value, own_if_default) \
  HEDDLE_FILL_ROWS(cuMemsetD2D##bits##Async, Value, legacy_if_default)  \
  HEDDLE_FILL_ROWS(cuMemsetD2D##bits##Async_ptsz, Value, own_if_default)

HEDDLE_FILLS(8, unsigned char)
HEDDLE_FILLS(16, unsigned short)
HEDDLE_FILLS(32, unsigned)
