// The forms in which a benchmark runs, each ready to be timed.
#pragma once

#include <memory>
#include <vector>

#include "benchmark.hpp"

namespace heddle::bench::grcuda {

class Form {
 public:
  virtual ~Form() = default;
  virtual void prepare(const Shape& shape) = 0;  // code and graphs, for the executions from here on
  virtual void touch(unsigned round) = 0;        // the inputs, on the host
  virtual void run() = 0;                        // until the results are on the host
  virtual Outputs outputs() = 0;
};

// The places of the forms in every list; the last three only where there is a GPU.
enum : std::size_t { parallel, serial, streams, captured, built };
inline constexpr const char* form_names[] = {"parallel", "serial", "streams", "captured graph", "built graph"};

std::unique_ptr<Form> make_heddle_form(const Benchmark& benchmark, Runtime& runtime);
// Streams and events, the graph captured from them, and the graph built by hand: on the same arrays.
std::vector<std::unique_ptr<Form>> make_bare_forms(const Benchmark& benchmark, const Cuda& cuda);

}  // namespace heddle::bench::grcuda
