// How much batch tenants may have beside a latency tenant whose launches cannot be placed. Where programs run on
// NVIDIA's library their kernels are not confined to units (interpose/gate.hpp), so that the owner of all units and its
// guests are on the same ones. How much that hurts the owner depends on both programs: one that waits for its host most
// of the time hardly notices, one that fills the GPU does. So it is measured. One that leaves the GPU no time is not
// even tried: where programs have it in turns, guests would get nothing that the owner does not lose.
//
// LithOS lends units of owners that sleep only (section 4.3 of the paper). TGS (NSDI 2023, section 4.2) controls the
// rate of guests by the owner's rate of kernels; this is that idea, with the rate for each second of work, so that it
// does not depend on how many requests arrive.
#pragma once

#include <cstdint>

namespace heddle::daemon {

// What a process has done since it began.
struct Progress {
  std::uint64_t launches = 0;
  std::uint64_t busy_ns = 0;  // for which it had work
  // For which the GPU had work of it. 0 where programs have the GPU at the same time, and not in turns.
  std::uint64_t device_ns = 0;
};

// Of one latency tenant. Pure: it reads no clock.
class Feedback {
 public:
  static constexpr double allowed_slowdown = 1.03;
  static constexpr double unthrottled = 1.2;  // a part from which on no bound of what is in flight is needed

  // To be called some times in each tenth of a second. `guests`: whether batch tenants have work.
  void look(Progress now, bool guests);
  // What batch tenants may have of the device's time while the tenant has work, in [0, 1.5]. 0 while it is measured
  // alone. From `unthrottled` on, guests do so little harm that they may submit as much as they like.
  double part() const { return phase_ == Phase::lent ? lent_ : 0; }
  // By what it was slower in the last window with guests; 1: not measured yet.
  double slowdown() const { return slowdown_; }

 private:
  // Times for which the tenant had work.
  static constexpr std::uint64_t settle_ns = 5'000'000;  // after a change: what is in flight then
  static constexpr std::uint64_t alone_ns = 60'000'000, lent_ns = 100'000'000;
  static constexpr std::uint64_t least_launches = 20;  // of a window
  static constexpr unsigned lent_windows = 20;         // between two measurements alone
  static constexpr double most_part = 1.5, most_step = 0.1, gain = 2;
  // A try must not be what makes requests wait for each other: it begins with little, for a short time. An owner that
  // loses as much as guests get is slower than allowed by that already. Then there is nothing, and the next try comes
  // later each time.
  static constexpr double first_part = 0.04, least_part = 0.03, small_part = 0.1;
  static constexpr std::uint64_t small_ns = 20'000'000, small_launches = 8;  // of a window with less than small_part
  static constexpr unsigned most_rest = 128;                                 // in windows alone
  static constexpr double full = 0.75;  // the part of an owner's time with work, for which the GPU has some of it

  enum class Phase : std::uint8_t { alone, lent };
  void begin(Phase phase, Progress now);
  bool is_over(std::uint64_t launches, std::uint64_t busy_ns) const;
  void measured_alone(double rate);
  void measured_lent(double rate);
  void rest(bool was_worth_it);

  Phase phase_ = Phase::alone;
  bool settling_ = true;
  Progress since_;            // when the window began
  double alone_rate_ = 0;     // launches for each nanosecond of work; 0: not measured yet
  double lent_ = first_part;  // in the phase `lent`
  double slowdown_ = 1;
  unsigned windows_ = 0;               // of this phase
  double device_part_ = 0;             // of the last window alone
  unsigned rest_ = 1, next_rest_ = 1;  // windows alone before the next try, and after the next one that fails
};

}  // namespace heddle::daemon
