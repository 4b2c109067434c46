#include "sparse_graph.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "base/fail.hpp"
#include "base/matrix_market.hpp"
#include "parallel.hpp"

namespace heddle::bench::grcuda {
namespace {

// The edges of vertex i go to (a i + b) modulo n, for three pairs of a and b: each a has no factor in common with n, so
// that the transposed matrix has the same form, with the inverse of a.
class RandomGraph : public SparseGraph {
 public:
  explicit RandomGraph(std::size_t vertices) : n_(vertices) {
    for (std::size_t j = 0; j < degree; ++j) {
      std::uint64_t a = n_ / 7 * (2 * j + 1) + 12345 + 2 * j;
      while (std::gcd(a % n_, n_) != 1) ++a;
      steps_[j] = {a % n_, scramble(j, 40) % n_, inverse(a % n_)};
    }
  }
  std::size_t vertices() const override { return n_; }
  std::size_t edges() const override { return n_ * degree; }
  std::size_t first_in_transposed() const override { return steps_[0].offset * degree; }

  void write(const Rows& rows, bool transposed) const override {
    parallel_for(n_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        rows.begins[i] = static_cast<int>(i * degree);
        for (std::size_t j = 0; j < degree; ++j) {
          const std::size_t other = transposed ? from(i, j) : to(i, j);
          rows.columns[i * degree + j] = static_cast<int>(other);
          rows.values[i * degree + j] = weight(transposed ? other : i, j);
        }
      }
    });
    rows.begins[n_] = static_cast<int>(edges());
  }

 private:
  static constexpr std::size_t degree = 3;
  struct Step {
    std::uint64_t factor = 1, offset = 0, inverse = 1;
  };

  std::size_t to(std::size_t i, std::size_t j) const { return (steps_[j].factor * i + steps_[j].offset) % n_; }
  std::size_t from(std::size_t i, std::size_t j) const {
    return (i + n_ - steps_[j].offset) % n_ * steps_[j].inverse % n_;
  }
  static float weight(std::size_t vertex, std::size_t j) { return 0.5f + uniform(vertex * degree + j, 41); }

  // By Euclid's algorithm; products stay below 2^62, since there are less than 2^31 vertices.
  std::uint64_t inverse(std::uint64_t a) const {
    std::int64_t r = static_cast<std::int64_t>(n_), s = static_cast<std::int64_t>(a), t = 0, u = 1;
    while (s != 0) {
      const std::int64_t quotient = r / s;
      r = std::exchange(s, r - quotient * s);
      t = std::exchange(u, t - quotient * u);
    }
    return static_cast<std::uint64_t>(t < 0 ? t + static_cast<std::int64_t>(n_) : t) % n_;
  }

  std::uint64_t n_;
  std::array<Step, degree> steps_;
};

class ReadGraph : public SparseGraph {
 public:
  ReadGraph(base::SparseMatrix matrix, const std::string& name) : matrix_(std::move(matrix)) {
    if (matrix_.rows != matrix_.columns)
      base::fail(ErrorCode::invalid_argument, "{} is a matrix of {} x {}; a graph's is square", name, matrix_.rows,
                 matrix_.columns);
    if (matrix_.entries.empty()) base::fail(ErrorCode::invalid_argument, "{} is a graph without edges", name);
    if (matrix_.entries.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      base::fail(ErrorCode::unsupported, "{} has {} edges; the kernels count to {}", name, matrix_.entries.size(),
                 std::numeric_limits<int>::max());
  }
  std::size_t vertices() const override { return matrix_.rows; }
  std::size_t edges() const override { return matrix_.entries.size(); }

  void write(const Rows& rows, bool transposed) const override {
    const std::vector<std::size_t> places = order(rows.begins, transposed);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const base::MatrixEntry& entry = matrix_.entries[i];
      rows.columns[places[i]] = static_cast<int>(transposed ? entry.row : entry.column);
      rows.values[places[i]] = static_cast<float>(entry.value);
    }
  }

  std::size_t first_in_transposed() const override {
    std::vector<int> begins(vertices() + 1), transposed_begins(vertices() + 1);
    const std::vector<std::size_t> places = order(begins, false), transposed = order(transposed_begins, true);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i] == 0) return transposed[i];
    return 0;
  }

 private:
  // The place of each entry, sorted by row (or by column), those of one row as they come; writes where rows begin.
  std::vector<std::size_t> order(std::span<int> begins, bool transposed) const {
    const auto row = [&](const base::MatrixEntry& entry) { return transposed ? entry.column : entry.row; };
    std::fill(begins.begin(), begins.end(), 0);
    for (const base::MatrixEntry& entry : matrix_.entries) ++begins[row(entry) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<int> next(begins.begin(), begins.end());
    std::vector<std::size_t> places;
    for (const base::MatrixEntry& entry : matrix_.entries)
      places.push_back(static_cast<std::size_t>(next[row(entry)]++));
    return places;
  }

  base::SparseMatrix matrix_;
};

}  // namespace

std::unique_ptr<SparseGraph> make_random_graph(std::size_t vertices) { return std::make_unique<RandomGraph>(vertices); }

std::unique_ptr<SparseGraph> read_graph(const std::filesystem::path& file) {
  return std::make_unique<ReadGraph>(base::read_matrix_market(file), file.string());
}

}  // namespace heddle::bench::grcuda
