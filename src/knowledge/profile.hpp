// What is known of a program on a workload: the best configuration so far, and how it was found.
//
// "Profile" is Marrow's term (Soldado, Alexandre, Paulino, "Execution of compound multi-kernel OpenCL computations in
// multi-CPU/multi-GPU environments", CCPE 2016, section 3.2.1); its fields a) to f) are named below.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::knowledge {

// How finely the CPU device is split into sub-devices: one for each cache or memory domain of this kind.
enum class Fission { l1, l2, l3, numa, none };
// In the order in which a search tries them: the most promising first.
inline constexpr std::array fission_levels{Fission::l1, Fission::l2, Fission::l3, Fission::numa, Fission::none};
const char* name(Fission level);
// Throws invalid_argument with the known names.
Fission fission_named(std::string_view name);

// Whose knowledge it is. Knowledge of one machine, or of one share of a device, says nothing of another.
struct Subject {
  std::string program;  // a) the tree's identity: its kernels' code and its structure
  std::string machine;  // the devices, by name and number
  std::string share;    // the part of the devices that the program may use: "all", "sms=0-31"
  bool operator==(const Subject&) const = default;
};

// b) The size of the data.
struct Workload {
  std::vector<double> extents;    // elements in each dimension, all >= 1
  bool double_precision = false;  // of its floating-point elements
  bool operator==(const Workload&) const = default;
};
// "4288x2848 single": a key, and for people.
std::string text_of(const Workload& workload);
// Throws invalid_argument if it is no such text.
Workload workload_of(std::string_view text);

// c) and d): what a run needs to know.
struct Configuration {
  double gpu_share = 1;  // of the work, in [0, 1]; the rest is the CPU's
  Fission fission = Fission::none;
  unsigned overlap = 1;          // concurrent executions on each GPU, 1 to 4
  std::vector<unsigned> groups;  // threads of a block for each kernel, in the tree's order; empty: the kernels' own
  bool operator==(const Configuration&) const = default;
};

// f) How the configuration was obtained.
enum class Origin {
  derived,  // from other profiles
  built,    // by the auto-tuner's search
  refined   // by a run that was faster than all before, while the load was balanced
};
const char* name(Origin origin);
Origin origin_named(std::string_view name);

constexpr double never_run = std::numeric_limits<double>::infinity();

struct Profile {
  Subject subject;
  Workload workload;
  Configuration configuration;
  double best_seconds = never_run;  // e) the shortest run with it
  double deviation = 1;             // of that run: the shortest partial execution over the longest
  Origin origin = Origin::derived;
  std::string why;  // a sentence for people: from what it was derived, or what the search tried
};

}  // namespace heddle::knowledge
