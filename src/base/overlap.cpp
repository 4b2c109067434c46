#include "base/overlap.hpp"

#include <algorithm>

#include "base/fail.hpp"

namespace heddle::base {
namespace {

// How many more or fewer are at work from here on.
struct Change {
  std::uint64_t at_ns;
  int kernels, transfers;
};

std::vector<Change> changes(std::span<const Interval> timeline) {
  std::vector<Change> all;
  for (const Interval& interval : timeline) {
    if (interval.end_ns <= interval.begin_ns) continue;
    const int kernel = interval.kind == Interval::Kind::kernel ? 1 : 0;
    all.push_back({interval.begin_ns, kernel, 1 - kernel});
    all.push_back({interval.end_ns, -kernel, kernel - 1});
  }
  std::sort(all.begin(), all.end(), [](const Change& a, const Change& b) { return a.at_ns < b.at_ns; });
  return all;
}

double part(double some, double all) { return all > 0 ? some / all : 0; }

}  // namespace

Overlap overlap(std::span<const Interval> timeline) {
  double kernel = 0, transfer = 0, ct = 0, tc = 0, cc = 0, any = 0;
  std::uint64_t since_ns = 0;
  int kernels = 0, transfers = 0;
  for (const Change& change : changes(timeline)) {
    const double seconds = static_cast<double>(change.at_ns - since_ns) * 1e-9;
    kernel += kernels * seconds;
    transfer += transfers * seconds;
    if (transfers > 0) ct += kernels * seconds;
    if (kernels > 0) tc += transfers * seconds;
    if (kernels > 1) cc += kernels * seconds;
    if (transfers > 0 || kernels > 1) any += kernels * seconds;
    since_ns = change.at_ns;
    kernels += change.kernels;
    transfers += change.transfers;
  }
  return {part(ct, kernel), part(tc, transfer), part(cc, kernel), part(any, kernel + transfer), kernel, transfer};
}

double longest_path(std::span<const Step> steps) {
  std::vector<double> ends;
  double longest = 0;
  for (const Step& step : steps) {
    double begin = 0;
    for (const std::size_t parent : step.parents) {
      if (parent >= ends.size())
        fail(ErrorCode::invalid_argument, "step {} comes behind step {}, which does not stand before it", ends.size(),
             parent);
      begin = std::max(begin, ends[parent]);
    }
    ends.push_back(begin + step.seconds);
    longest = std::max(longest, ends.back());
  }
  return longest;
}

}  // namespace heddle::base
