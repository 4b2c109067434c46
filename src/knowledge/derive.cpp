#include "knowledge/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "knowledge/interpolation.hpp"

namespace heddle::knowledge {
namespace {

constexpr std::size_t most_dimensions = 3;  // of radial basis functions
constexpr std::size_t most_points = 128;    // the nearest ones; more would take longer than they are worth

Point point_of(const Workload& workload) {
  Point point;
  for (const double extent : workload.extents) point.push_back(std::log2(extent));
  return point;
}

std::vector<Profile> those(std::span<const Profile> known, const std::function<bool(const Profile&)>& fits) {
  std::vector<Profile> chosen, untried;
  for (const Profile& profile : known)
    if (fits(profile)) (profile.best_seconds < never_run ? chosen : untried).push_back(profile);
  return chosen.empty() ? untried : chosen;
}

struct Candidates {
  std::vector<Profile> profiles;
  bool same_program = false;
  std::string what;
};

Candidates narrow(std::span<const Profile> known, const Subject& subject, const Workload& workload) {
  const auto here = [&](const Profile& profile) {
    return profile.subject.machine == subject.machine && profile.subject.share == subject.share;
  };
  const auto alike = [&](const Profile& profile) {
    return here(profile) && profile.workload.extents.size() == workload.extents.size();
  };
  std::vector<Profile> found = those(
      known, [&](const Profile& profile) { return alike(profile) && profile.subject.program == subject.program; });
  if (!found.empty()) return {std::move(found), true, "of this program"};
  found = those(known, [&](const Profile& profile) { return here(profile) && profile.workload == workload; });
  if (!found.empty()) return {std::move(found), false, "of other programs on this workload"};
  return {those(known, alike), false, "of other programs with as many dimensions"};
}

}  // namespace

std::optional<Profile> derive(std::span<const Profile> known, const Subject& subject, const Workload& workload) {
  Candidates candidates = narrow(known, subject, workload);
  if (candidates.profiles.empty()) return std::nullopt;
  const Point at = point_of(workload);
  std::stable_sort(candidates.profiles.begin(), candidates.profiles.end(), [&](const Profile& a, const Profile& b) {
    return distance(point_of(a.workload), at) < distance(point_of(b.workload), at);
  });
  const Profile& closest = candidates.profiles.front();
  Profile made{.subject = subject, .workload = workload, .configuration = closest.configuration};
  if (!candidates.same_program) made.configuration.groups.clear();
  if (at.size() > most_dimensions) {
    made.why = fmt::format("the share of the nearest of {} profiles {}: {}", candidates.profiles.size(),
                           candidates.what, text_of(closest.workload));
    return made;
  }
  if (candidates.profiles.size() > most_points) candidates.profiles.resize(most_points);
  std::vector<Point> points;
  std::vector<double> shares;
  for (const Profile& profile : candidates.profiles) {
    points.push_back(point_of(profile.workload));
    shares.push_back(profile.configuration.gpu_share);
  }
  made.configuration.gpu_share = std::clamp(RadialBasis(points, shares).at(at), 0.0, 1.0);
  made.why = fmt::format("interpolated between {} profiles {}; the nearest is {}", points.size(), candidates.what,
                         text_of(closest.workload));
  return made;
}

}  // namespace heddle::knowledge
