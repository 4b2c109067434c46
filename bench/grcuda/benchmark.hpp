// The six benchmarks of GrCUDA (Parravicini et al., IPDPS 2021, section V): what each computes, as a program on Heddle
// and as programs on the bare driver, and how its results are checked. Launches and what depends on what are those of
// tests/graph/golden.
//
// The setting is the paper's: inputs are on the host and are changed there before each execution, so that they must be
// copied again; an execution ends when its results are on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bare.hpp"
#include "heddle/heddle.hpp"
#include "shape.hpp"

namespace heddle::bench::grcuda {

// The arrays with results, in the benchmark's order; valid until the next execution.
using Outputs = std::vector<std::span<const std::byte>>;

// The same program for parallel and serial scheduling: that is the runtime's business.
class HeddleProgram {
 public:
  virtual ~HeddleProgram() = default;
  // Changes every input on the host. The same round, the same inputs.
  virtual void touch(unsigned round) = 0;
  // Launches, and reads the results.
  virtual void run(const Shape& shape) = 0;
  virtual Outputs outputs() = 0;
};

class BareProgram {
 public:
  virtual ~BareProgram() = default;
  virtual void touch(unsigned round) = 0;
  virtual unsigned streams() const = 0;
  // Puts copies and launches into streams, and does not wait.
  virtual void run(Streams& streams, const Shape& shape) = 0;
  // The same as a graph.
  virtual void build(GraphBuilder& graph, const Shape& shape) = 0;
  virtual Outputs outputs() = 0;
};

// What waits for what in one execution, for the shortest time it could take.
struct Plan {
  struct Launch {
    std::vector<std::size_t> behind;          // launches before it
    std::vector<std::size_t> with_copies_of;  // launches before it whose inputs it reads, too
  };
  std::vector<Launch> launches;    // in the program's order
  std::vector<std::size_t> reads;  // for each array that is read in the end, the launch that made it
};

class Benchmark {
 public:
  virtual ~Benchmark() = default;
  virtual std::uint64_t bytes() const = 0;  // of the GPU's memory
  virtual std::unique_ptr<HeddleProgram> on_heddle(Runtime& runtime) const = 0;
  virtual std::unique_ptr<BareProgram> bare(const Cuda& cuda) const = 0;
  // Of Place::parts = 1.
  virtual Plan plan() const = 0;
  // Whether Place::parts makes another program of it.
  virtual bool has_parts() const { return false; }
  // Compares results of an execution after touch(0) with plain C++: where they differ by more than the benchmark's
  // tolerance, in a sentence; empty: nowhere. The reference is computed by the first call.
  virtual std::string difference(const Outputs& outputs) = 0;
  // Whether every execution gives the same bits.
  virtual bool exact() const = 0;
};

// Where the kernels' PTX is: NAME.ptx for each benchmark.
struct Place {
  std::filesystem::path kernels;
  // Arrays that all of a program works on are cut into so many, for as many devices: ML's rows. The others' launches
  // have arrays of their own.
  unsigned parts = 1;
};

// Of about so many bytes of the GPU's memory.
std::unique_ptr<Benchmark> make_vec(const Place& place, std::uint64_t bytes);
std::unique_ptr<Benchmark> make_bs(const Place& place, std::uint64_t bytes);
std::unique_ptr<Benchmark> make_img(const Place& place, std::uint64_t bytes);
std::unique_ptr<Benchmark> make_ml(const Place& place, std::uint64_t bytes);
std::unique_ptr<Benchmark> make_hits(const Place& place, std::uint64_t bytes);
std::unique_ptr<Benchmark> make_dl(const Place& place, std::uint64_t bytes);
// HITS of a graph in a Matrix Market file, as in "an edge from its row to its column". Throws Error.
std::unique_ptr<Benchmark> make_hits(const Place& place, const std::filesystem::path& matrix);
// IMG of a photograph, whose grey values are used. Throws std::runtime_error.
std::unique_ptr<Benchmark> make_img(const Place& place, const std::filesystem::path& photo);
// What IMG made of the photograph, as a PNG file.
void write_photo(const Benchmark& img, const Outputs& outputs, const std::filesystem::path& file);

struct Named {
  const char* name;
  std::unique_ptr<Benchmark> (*make)(const Place& place, std::uint64_t bytes);
};
// In the order of the paper's tables.
inline constexpr Named all_benchmarks[] = {{"VEC", make_vec}, {"B&S", make_bs},    {"IMG", make_img},
                                           {"ML", make_ml},   {"HITS", make_hits}, {"DL", make_dl}};

// An output as values.
template <class T>
std::span<const T> as(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}
// Of an array that the host may read.
template <class T>
std::span<const std::byte> output(const Array<T>& array) {
  return std::as_bytes(array.read());
}

}  // namespace heddle::bench::grcuda
