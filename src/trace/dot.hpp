// The DAG of a trace as a graph for Graphviz.
#pragma once

#include <string>

#include "trace/timeline.hpp"

namespace heddle::trace {

// A vertex for each task (kernel, copy with its size, fill, host function), coloured by its queue. Edges come from the
// task that runs first, labelled with their arrays if the trace has them. Edges of a program's own streams and events
// are dashed. Edges to tasks that the host had waited for before the launch are dotted. Edges that a queue waits for by
// an event are thick. Tasks without a number, as in traces of other versions, are vertices without edges.
std::string dot(const Timeline& timeline);

}  // namespace heddle::trace
