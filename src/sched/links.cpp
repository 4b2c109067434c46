#include "sched/links.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::sched {
namespace {

double rounded_down(double bytes_per_second) {
  const double unit = bytes_per_second >= 1e9 ? 1e9 : 1e6;
  return std::max(std::floor(bytes_per_second / unit), 1.0) * unit;
}

}  // namespace

LinkTable::LinkTable(const std::vector<std::vector<double>>& measured)
    : count_(measured.size()), seconds_(count_ * count_) {
  for (std::size_t from = 0; from < count_; ++from) {
    for (std::size_t to = 0; to < count_; ++to)
      if (from != to) seconds_[from * count_ + to] = 1 / rounded_down((measured[from][to] + measured[to][from]) / 2);
  }
}

}  // namespace heddle::sched
