// What overhead_chains and its peer peers/cudastf.cu launch, and how one asks the other for a measurement. Plain C++17,
// without anything of Heddle, as nvcc compiles it too.
#pragma once

namespace heddle::bench {

// A round of a shape: a kernel that modifies array 0, then `followers` kernels that read it, which the next round's
// first kernel comes behind. A follower also modifies an array of its own, or, with `only_read`, nothing. Without
// followers: a chain.
struct Shape {
  const char* name;
  unsigned followers;
  bool only_read;
  int repeats;  // rounds in one measurement
  int launches() const { return repeats * static_cast<int>(1 + followers); }
};

constexpr Shape shapes[] = {
    {"chain", 0, false, 8000},
    {"fan of 4", 4, false, 1600},
    {"fan of 16", 16, false, 500},
    {"64 readers and a writer", 64, true, 125},
};
constexpr unsigned shape_arrays = 17;       // array 0, and one for each follower that modifies
constexpr unsigned shape_array_words = 32;  // of 32 bits
constexpr unsigned shape_threads = 32;      // one block of them
constexpr int shape_measurements = 15;      // behind one that does not count; the median is the figure

// The peer's program reads lines "FORM SHAPE", two numbers: an index into each list. It runs the form once and answers
// with a line "HOST COMPLETED": seconds until the host has handed over the last launch, and until the GPU is done.
constexpr const char* peer_forms[] = {"bare launch", "stream_ctx", "stream_ctx with tokens", "graph_ctx"};

}  // namespace heddle::bench
