// The configurations among which a search ended, and which of them a program's runs go on with.
//
// A search measures with few runs on a machine that others use too. What it found best may later be slower than the
// GPUs or the CPUs alone, without its load being out of balance: then no load balancer corrects it. Marrow does not
// have this; its load-balancing threshold (section 3.3) looks at the balance alone.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "knowledge/profile.hpp"

namespace heddle::tuning {

struct Rival {
  knowledge::Configuration configuration;
  double seconds = knowledge::never_run;  // of a run
};

struct RivalOptions {
  double margin = 0.03;         // the part by which another one must be faster
  unsigned runs_to_probe = 64;  // until the next best one is tried again; doubles with each try that changes nothing
  double worth_probing = 1.5;   // one that takes longer than this many times the current one's time is not tried
  double much_slower = 1.5;     // four runs in a row that take so many times as long as another one are enough
};

// One thread at a time. After a change the first run moves arrays and does not count.
class Rivals {
 public:
  explicit Rivals(const RivalOptions& options = {}) : options_(options), runs_left_(options.runs_to_probe) {}

  // Begins with the rival of that number. Fewer than two rivals: nothing is ever changed.
  void begin(std::vector<Rival> rivals, std::size_t current);
  // After a run with `used`, which is the current rival's configuration or what a load balancer made of it. True: the
  // next run is to have configuration().
  bool record(const knowledge::Configuration& used, double seconds);
  const knowledge::Configuration& configuration() const { return rivals_.at(current_).configuration; }
  // While a rival is tried, its runs say nothing of the balance.
  bool probing() const { return probing_; }

 private:
  bool change(std::size_t to);
  bool end_probe();
  bool leave_for_a_faster_one();
  bool is_much_slower();
  void slow_down_splits(double factor);
  bool begin_probe();
  std::size_t best_other() const;
  double median() const;

  RivalOptions options_;
  std::vector<Rival> rivals_;
  std::size_t current_ = 0, home_ = 0;  // home: the one that a probe compares with
  std::array<double, 9> last_{};        // seconds of its runs, as a ring
  std::size_t runs_ = 0;                // that counted, since the last change
  unsigned runs_left_;                  // until the next probe
  unsigned period_ = 0;
  bool moved_ = false, probing_ = false;
};

}  // namespace heddle::tuning
