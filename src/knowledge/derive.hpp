// A configuration for a workload that was never run, from profiles of others (Marrow, section 3.2.3).
#pragma once

#include <optional>
#include <span>

#include "knowledge/profile.hpp"

namespace heddle::knowledge {

// Candidates are narrowed in three stages, of which the first that has any counts:
// 1. profiles of the same program, with as many dimensions;
// 2. profiles of the same workload, of any program;
// 3. profiles with as many dimensions.
// All are of the same machine and share; others are passed over. In 1 to 3 dimensions radial basis functions give the
// GPU's share, in more the nearest profile (Euclidean). Distances are between logarithms of extents: from 1 to 2
// million elements is as far as from 10 to 20 million. Fission, overlap and groups are those of the nearest profile;
// groups only in stage 1, as other programs have other kernels. Nothing where there is no candidate.
//
// Profiles that were derived and never run count only where no other is left in their stage.
std::optional<Profile> derive(std::span<const Profile> known, const Subject& subject, const Workload& workload);

}  // namespace heddle::knowledge
