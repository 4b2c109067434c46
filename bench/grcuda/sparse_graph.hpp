// Graphs for HITS: a matrix and the transposed one, in compressed rows.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace heddle::bench::grcuda {

// Where the rows of a matrix begin (one more than there are rows), and the column and the value of each entry.
struct Rows {
  std::span<int> begins, columns;
  std::span<float> values;
};

class SparseGraph {
 public:
  virtual ~SparseGraph() = default;
  virtual std::size_t vertices() const = 0;
  virtual std::size_t edges() const = 0;
  // Writes the matrix, or the transposed one, into spans of the right sizes.
  virtual void write(const Rows& rows, bool transposed) const = 0;
  // Where the first entry of the matrix is in the transposed one.
  virtual std::size_t first_in_transposed() const = 0;
};

// Every vertex has three edges to others, far away, and three from others.
std::unique_ptr<SparseGraph> make_random_graph(std::size_t vertices);
// Throws Error: what read_matrix_market does, and for a matrix that is not square, has no entries, or too many.
std::unique_ptr<SparseGraph> read_graph(const std::filesystem::path& matrix_market);

}  // namespace heddle::bench::grcuda
