// How much batch tenants may have beside a latency tenant whose launches cannot be placed. Where programs run on
// NVIDIA's library their kernels are not confined to units (interpose/gate.hpp), so that the owner of all units and its
// guests are on the same ones. How much that hurts the owner depends on both programs: one that waits for its host most
// of the time hardly notices, one that fills the GPU does. So it is measured. One that leaves the GPU no time is not
// even tried: where programs have it in turns, guests would get nothing that the owner does not lose.
//
// LithOS lends units of owners that sleep only (section 4.3 of the paper). TGS (NSDI 2023, section 4.2) controls the
// rate of guests by the owner's rate of kernels; this is that idea, with the rate for each second of work, so that it
// does not depend on how many requests arrive.
//
// Owners that wait for their host are as fast as the host, which other programs may keep busy for a second. So what
// guests do is compared with the owner alone right before and right after, and says nothing where these two differ.
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
  // By what it was slower the last time that this was measured; 1: not measured yet.
  double slowdown() const { return slowdown_; }

 private:
  // Times for which the tenant had work.
  static constexpr std::uint64_t settle_ns = 5'000'000;  // after a change: what is in flight then
  static constexpr std::uint64_t alone_ns = 60'000'000, lent_ns = 100'000'000;
  static constexpr std::uint64_t least_launches = 20;  // of a window
  static constexpr unsigned most_windows = 20;         // between two measurements alone
  static constexpr double most_part = 1.5, most_growth = 2, least_growth = 0.25;
  // A try must not be what makes requests wait for each other: it begins with little, for a short time. An owner that
  // loses as much as guests get is slower than allowed by that already. Then there is nothing, and the next try comes
  // later each time.
  static constexpr double first_part = 0.04, least_part = 0.03, small_part = 0.1;
  static constexpr std::uint64_t small_ns = 20'000'000, small_launches = 8;  // of a window with less than small_part
  static constexpr unsigned most_rest = 128;                                 // in windows alone
  static constexpr double full = 0.75;  // the part of an owner's time with work, for which the GPU has some of it
  // Slower than this in one window: measured alone at once.
  static constexpr double suspicious = 1.1;
  // By how much the owner alone may differ, before and after, as a logarithm: this, or so many times what is usual for
  // it. What is usual counts as allowed, in part.
  static constexpr double most_difference = 0.15, usual_noises = 2.5, most_noise = 0.5, noise_weight = 0.7;

  enum class Phase : std::uint8_t { alone, lent };
  void begin(Phase phase, Progress now);
  bool is_over(std::uint64_t launches, std::uint64_t busy_ns) const;
  void measured_alone(double rate);
  // Whether it has to be measured alone now.
  bool measured_lent(std::uint64_t launches, std::uint64_t busy_ns);
  // What the guests had, by the rates alone before and after, and the one with them.
  void judge(double before, double after, double with_guests);
  void give_up();

  Phase phase_ = Phase::alone;
  bool settling_ = true;
  Progress since_;            // when the window began
  double alone_rate_ = 0;     // launches for each nanosecond of work; 0: not measured yet
  double lent_ = first_part;  // in the phase `lent`
  double slowdown_ = 1;
  double noise_ = 0;            // by how much the rate alone usually differs between two windows, as a logarithm
  double device_part_ = 0;      // of the last window alone
  unsigned windows_ = 0;        // of this phase `lent`
  unsigned phase_windows_ = 1;  // how many it will have
  std::uint64_t lent_launches_ = 0, lent_busy_ns_ = 0;  // of its windows
  unsigned looks_ = 0, looks_with_guests_ = 0;          // since the window began
  unsigned rest_ = 0, next_rest_ = 2;                   // windows alone before the next try; after the next that fails
};

}  // namespace heddle::daemon
