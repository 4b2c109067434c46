// When a tenant's next launch may go to the GPU. NVIDIA's library runs the kernel whole, and several processes have the
// GPU in turns of the driver's: units that are granted cannot be kept to. So a grant of a part of the units is a part
// of the time, and what is in flight is kept short, so that the GPU can change hands soon.
//
// LithOS (section 4.2 of the paper) schedules atoms on TPCs; this is its rule in time instead of space. Pure: it calls
// neither the driver nor the daemon.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

namespace heddle::interpose {

// What takes the same time again and again: a kernel with a shape, or a graph.
struct WorkKey {
  const void* what = nullptr;
  std::uint64_t blocks = 0;
  std::uint32_t threads = 0, shared = 0;
  friend bool operator==(const WorkKey&, const WorkKey&) = default;
};
struct WorkKeyHash {
  std::size_t operator()(const WorkKey& key) const;
};

// How long work takes on the GPU, from times that were measured now and then.
class Durations {
 public:
  // Nothing: never measured.
  std::optional<std::uint64_t> predict(const WorkKey& key) const;
  // Whether this execution is one that is to be measured: the first ones, and one of 64 later.
  bool to_measure(const WorkKey& key);
  // Other processes make a measurement longer, never shorter: a shorter one counts at once, a longer one by an eighth.
  void measured(const WorkKey& key, std::uint64_t ns);
  void forget() { known_.clear(); }

 private:
  static constexpr std::size_t most_known = 1 << 16;  // programs with ever new shapes
  struct Known {
    std::uint64_t ns = 0;
    std::uint32_t measurements = 0, executions = 0;
  };
  std::unordered_map<WorkKey, Known, WorkKeyHash> known_;
};

// What the process has been granted.
struct Share {
  double part = 1;                      // of the device, in [0, 1]
  std::uint64_t most_in_flight_ns = 0;  // of predicted time; 0: any amount
};

class Admission {
 public:
  enum class Verdict : std::uint8_t {
    go,
    nothing_granted,  // until the grant changes
    over_share,       // until `at_ns`
    enough_in_flight  // until some of it has ended
  };
  struct Answer {
    Verdict verdict = Verdict::go;
    std::uint64_t at_ns = 0;  // when to ask again, at the latest
  };
  // Whether work of this predicted time may go now; nothing: of a time that is not known, which goes when nothing is in
  // flight. Without a grant, `share` is nothing: everything goes.
  Answer may_go(const std::optional<Share>& share, std::optional<std::uint64_t> predicted_ns, std::uint64_t now_ns);
  // It went.
  void submitted(std::optional<std::uint64_t> predicted_ns);
  // The work that was submitted first among what is in flight has ended, or any other of that predicted time. With its
  // time, if that was measured.
  void ended(std::optional<std::uint64_t> predicted_ns, std::optional<std::uint64_t> took_ns);

  std::size_t in_flight() const { return in_flight_; }
  std::uint64_t in_flight_ns() const { return in_flight_ns_; }

 private:
  // What a part of the device may be saved up to, and how long a wait may be before the grant is looked at again.
  static constexpr double most_saved_ns = 2e6;
  static constexpr std::uint64_t look_again_ns = 50'000;

  void earn(double part, std::uint64_t now_ns);

  std::size_t in_flight_ = 0;
  std::uint64_t in_flight_ns_ = 0;
  double saved_ns_ = 0;  // time on the GPU that may be used; negative: more than the share was used
  std::uint64_t earned_until_ns_ = 0;
};

}  // namespace heddle::interpose
