// Launches of kernels and graphs, and functions of the host in streams.
#include <algorithm>

#include "interpose/processors.hpp"
#include "interpose/record.hpp"

using namespace heddle::interpose;
using heddle::Dim3;
using heddle::base::TraceEvent;

namespace {

struct Shape {
  Dim3 grid, block;
  unsigned shared = 0;
};

template <class Submit>
CUresult launch(CUstream stream, CUfunction function, const Shape& shape, Submit&& submit) {
  const WorkKey key{function, shape.grid.count(), static_cast<std::uint32_t>(shape.block.count()), shape.shared};
  return admit(
      stream, key,
      [&](Timeline& timeline, TraceEvent& event, std::string& name) {
        event.kind = TraceEvent::Kind::launch;
        event.grid = shape.grid;
        event.block = shape.block;
        event.shared = shape.shared;
        event.blocks = {0, shape.grid.count()};
        name = timeline.name_of(function);
      },
      submit);
}

template <class Submit>
CUresult launch_cooperatively(CUstream stream, CUfunction function, const Shape& shape, Submit&& submit) {
  const CUresult fits = check_cooperative(function, shape.grid.count(), shape.block.count(), shape.shared);
  return fits == CUDA_SUCCESS ? launch(stream, function, shape, submit) : fits;
}

bool is_cooperative(const CUlaunchConfig& config) {
  return config.attrs &&
         std::any_of(config.attrs, config.attrs + config.numAttrs, [](const CUlaunchAttribute& attribute) {
           return attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && attribute.value.cooperative != 0;
         });
}

// All of it at once: the gate holds the whole graph, and what has gone runs to its end.
template <class Submit>
CUresult launch_graph(CUstream stream, CUgraphExec graph, Submit&& submit) {
  return admit(
      stream, {.what = graph, .blocks = 1},
      [](Timeline&, TraceEvent& event, std::string& name) {
        event.kind = TraceEvent::Kind::launch;
        name = "CUDA graph";
      },
      submit);
}

template <class Submit>
CUresult call_host(CUstream stream, Submit&& submit) {
  return record(
      stream, [](Timeline&, TraceEvent& event, std::string&) { event.kind = TraceEvent::Kind::call; }, submit);
}

}  // namespace

#define HEDDLE_LAUNCH(symbol, stream_of)                                                                              \
  HEDDLE_INTERPOSER(symbol)                                                                                           \
  (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,        \
   unsigned block_z, unsigned shared, CUstream stream, void** parameters, void** extra) {                             \
    return launch(stream_of(stream), function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared}, [&] { \
      return HEDDLE_FORWARD(symbol, function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,      \
                            parameters, extra);                                                                       \
    });                                                                                                               \
  }
HEDDLE_LAUNCH(cuLaunchKernel, legacy_if_default)
HEDDLE_LAUNCH(cuLaunchKernel_ptsz, own_if_default)

#define HEDDLE_LAUNCH_EX(symbol, stream_of)                                                                        \
  HEDDLE_INTERPOSER(symbol)                                                                                        \
  (const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {                           \
    const auto submit = [&] { return HEDDLE_FORWARD(symbol, config, function, parameters, extra); };               \
    if (!config) return submit();                                                                                  \
    const Shape shape{{config->gridDimX, config->gridDimY, config->gridDimZ},                                      \
                      {config->blockDimX, config->blockDimY, config->blockDimZ},                                   \
                      config->sharedMemBytes};                                                                     \
    if (is_cooperative(*config)) return launch_cooperatively(stream_of(config->hStream), function, shape, submit); \
    return launch(stream_of(config->hStream), function, shape, submit);                                            \
  }
HEDDLE_LAUNCH_EX(cuLaunchKernelEx, legacy_if_default)
HEDDLE_LAUNCH_EX(cuLaunchKernelEx_ptsz, own_if_default)

#define HEDDLE_LAUNCH_COOPERATIVE(symbol, stream_of)                                                                \
  HEDDLE_INTERPOSER(symbol)                                                                                         \
  (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,      \
   unsigned block_z, unsigned shared, CUstream stream, void** parameters) {                                         \
    return launch_cooperatively(stream_of(stream), function,                                                        \
                                {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared}, [&] {              \
                                  return HEDDLE_FORWARD(symbol, function, grid_x, grid_y, grid_z, block_x, block_y, \
                                                        block_z, shared, stream, parameters);                       \
                                });                                                                                 \
  }
HEDDLE_LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel, legacy_if_default)
HEDDLE_LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel_ptsz, own_if_default)

#define HEDDLE_LAUNCH_GRAPH(symbol, stream_of)                                                            \
  HEDDLE_INTERPOSER(symbol)(CUgraphExec graph, CUstream stream) {                                         \
    return launch_graph(stream_of(stream), graph, [&] { return HEDDLE_FORWARD(symbol, graph, stream); }); \
  }
HEDDLE_LAUNCH_GRAPH(cuGraphLaunch, legacy_if_default)
HEDDLE_LAUNCH_GRAPH(cuGraphLaunch_ptsz, own_if_default)

#define HEDDLE_HOST_FUNCTION(symbol, stream_of)                                                          \
  HEDDLE_INTERPOSER(symbol)(CUstream stream, CUhostFn function, void* data) {                            \
    return call_host(stream_of(stream), [&] { return HEDDLE_FORWARD(symbol, stream, function, data); }); \
  }
HEDDLE_HOST_FUNCTION(cuLaunchHostFunc, legacy_if_default)
HEDDLE_HOST_FUNCTION(cuLaunchHostFunc_ptsz, own_if_default)
