// The capture of streams into graphs, and the end of streams. Seen for the gate of a tenant alone.
#include "interpose/record.hpp"

using namespace heddle::interpose;

#undef cuStreamBeginCapture
#undef cuStreamDestroy

namespace {

template <class Call>
CUresult begin(CUstream stream, Call&& call) {
  Gate* const gate = Gate::current();
  return gate ? gate->streams().begin_capture(stream, call) : call();
}

template <class Call>
CUresult end(CUstream stream, Call&& call) {
  const CUresult result = call();
  if (Gate* const gate = Gate::current()) gate->streams().end_capture(stream);
  return result;
}

}  // namespace

#define HEDDLE_BEGIN_CAPTURE_OF_OLD(symbol, stream_of)                               \
  HEDDLE_INTERPOSER(symbol)(CUstream stream) {                                       \
    return begin(stream_of(stream), [&] { return HEDDLE_FORWARD(symbol, stream); }); \
  }
HEDDLE_BEGIN_CAPTURE_OF_OLD(cuStreamBeginCapture, legacy_if_default)
HEDDLE_BEGIN_CAPTURE_OF_OLD(cuStreamBeginCapture_ptsz, own_if_default)

#define HEDDLE_BEGIN_CAPTURE(symbol, stream_of)                                            \
  HEDDLE_INTERPOSER(symbol)(CUstream stream, CUstreamCaptureMode mode) {                   \
    return begin(stream_of(stream), [&] { return HEDDLE_FORWARD(symbol, stream, mode); }); \
  }
HEDDLE_BEGIN_CAPTURE(cuStreamBeginCapture_v2, legacy_if_default)
HEDDLE_BEGIN_CAPTURE(cuStreamBeginCapture_v2_ptsz, own_if_default)

#define HEDDLE_BEGIN_CAPTURE_TO_GRAPH(symbol, stream_of)                                                   \
  HEDDLE_INTERPOSER(symbol)                                                                                \
  (CUstream stream, CUgraph graph, const CUgraphNode* dependencies, const void* edges, size_t count,       \
   CUstreamCaptureMode mode) {                                                                             \
    return begin(stream_of(stream),                                                                        \
                 [&] { return HEDDLE_FORWARD(symbol, stream, graph, dependencies, edges, count, mode); }); \
  }
HEDDLE_BEGIN_CAPTURE_TO_GRAPH(cuStreamBeginCaptureToGraph, legacy_if_default)
HEDDLE_BEGIN_CAPTURE_TO_GRAPH(cuStreamBeginCaptureToGraph_ptsz, own_if_default)

#define HEDDLE_END_CAPTURE(symbol, stream_of)                                             \
  HEDDLE_INTERPOSER(symbol)(CUstream stream, CUgraph * graph) {                           \
    return end(stream_of(stream), [&] { return HEDDLE_FORWARD(symbol, stream, graph); }); \
  }
HEDDLE_END_CAPTURE(cuStreamEndCapture, legacy_if_default)
HEDDLE_END_CAPTURE(cuStreamEndCapture_ptsz, own_if_default)

#define HEDDLE_STREAM_END(symbol)                                           \
  HEDDLE_INTERPOSER(symbol)(CUstream stream) {                              \
    if (Gate* const gate = Gate::current()) gate->streams().forget(stream); \
    return HEDDLE_FORWARD(symbol, stream);                                  \
  }
HEDDLE_STREAM_END(cuStreamDestroy)
HEDDLE_STREAM_END(cuStreamDestroy_v2)
