#include "kernelet/bound.hpp"

#include <algorithm>

namespace heddle::bench::kernelet {
namespace {

// The columns of the program are the pairs, and then each kernel alone.
class Simplex {
 public:
  Simplex(std::span<const double> work, std::span<const Together> pairs)
      : rows_(work.size()), pairs_(pairs), times_(work.begin(), work.end()), inverse_(rows_ * rows_, 0.0) {
    for (std::size_t row = 0; row < rows_; ++row) {
      basis_.push_back(pairs.size() + row);
      inverse_[row * rows_ + row] = 1;
    }
  }
  // Exchanges one column. False: nothing makes the sum smaller.
  bool step() {
    const std::size_t enters = find_entering();
    if (enters == none) return false;
    // The change of each time in the basis, for a time of 1 of the new column.
    std::vector<double> change(rows_);
    for (std::size_t row = 0; row < rows_; ++row) change[row] = value(&inverse_[row * rows_], enters);
    std::size_t leaves = none;
    for (std::size_t row = 0; row < rows_; ++row)
      if (change[row] > tiny && (leaves == none || times_[row] / change[row] < times_[leaves] / change[leaves]))
        leaves = row;
    if (leaves == none) return false;
    exchange(enters, leaves, change);
    return true;
  }
  std::vector<double> times() const {
    std::vector<double> all(pairs_.size(), 0.0);
    for (std::size_t row = 0; row < rows_; ++row)
      if (basis_[row] < pairs_.size()) all[basis_[row]] = std::max(0.0, times_[row]);
    return all;
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr double tiny = 1e-9;

  double value(const double* of_kernels, std::size_t column) const {
    if (column >= pairs_.size()) return of_kernels[column - pairs_.size()];
    const Together& pair = pairs_[column];
    return of_kernels[pair.first] * pair.first_speed + of_kernels[pair.second] * pair.second_speed;
  }
  // The column that does most for its time; a kernel's work counts what the basis needs for it.
  std::size_t find_entering() const {
    std::vector<double> prices(rows_, 0.0);
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t kernel = 0; kernel < rows_; ++kernel) prices[kernel] += inverse_[row * rows_ + kernel];
    std::size_t best = none;
    double most = 1 + tiny;
    for (std::size_t column = 0; column < pairs_.size() + rows_; ++column) {
      const double does = value(prices.data(), column);
      if (does <= most) continue;
      most = does;
      best = column;
    }
    return best;
  }
  void exchange(std::size_t enters, std::size_t leaves, const std::vector<double>& change) {
    double* const pivot = &inverse_[leaves * rows_];
    for (std::size_t i = 0; i < rows_; ++i) pivot[i] /= change[leaves];
    times_[leaves] /= change[leaves];
    for (std::size_t row = 0; row < rows_; ++row) {
      if (row == leaves) continue;
      for (std::size_t i = 0; i < rows_; ++i) inverse_[row * rows_ + i] -= change[row] * pivot[i];
      times_[row] -= change[row] * times_[leaves];
    }
    basis_[leaves] = enters;
  }

  const std::size_t rows_;
  const std::span<const Together> pairs_;
  std::vector<double> times_;       // of the columns in the basis
  std::vector<double> inverse_;     // of the basis, by rows
  std::vector<std::size_t> basis_;  // columns
};

}  // namespace

std::vector<double> shortest_plan(std::span<const double> work, std::span<const Together> pairs) {
  Simplex simplex(work, pairs);
  // Some exchanges for each kernel are enough; the limit is for columns that rounding makes alike.
  for (std::size_t steps = 20 * (work.size() + 1); steps > 0 && simplex.step(); --steps) {
  }
  return simplex.times();
}

}  // namespace heddle::bench::kernelet
