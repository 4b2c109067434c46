// The DAG of a trace as a graph for Graphviz.
#pragma once

#include <string>

#include "trace/timeline.hpp"

namespace heddle::trace {

// A vertex for each task (kernel, copy with its size, fill, host function), coloured by its queue; edges from what runs
// first, labelled with the arrays that they are for where the trace knows that. Edges of a program's own streams and
// events are dashed, those that the host had waited for before the launch are dotted, and those that a queue waits for
// by an event are drawn thick. Tasks without a number, as traces of other versions have them, are vertices without
// edges.
std::string dot(const Timeline& timeline);

}  // namespace heddle::trace
