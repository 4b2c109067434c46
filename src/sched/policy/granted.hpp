// A process that is one tenant of several on a node: what it may use is decided elsewhere and changes at any time. How
// it uses that is decided by a policy of its own, which sees a device of only the granted processors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sched/policy.hpp"

namespace heddle::sched {

// What the process may use now, of every device that it has.
struct Allowance {
  std::vector<bool> units;  // of the node; a device with another number of units takes the same part of its own
  bool paced = true;        // launches go out late and in parts; otherwise at once and whole
  bool priority = true;     // of latency tenants, for launches that go out at once
  friend bool operator==(const Allowance&, const Allowance&) = default;
};

// A submission, for whoever wants to explain it later. The name is valid during the call.
struct Submitted {
  enum class Why : std::uint8_t {
    alone = 0,    // nobody grants anything
    whole = 1,    // all blocks that were left
    part = 2,     // some, so that the units can change hands soon
    measure = 3,  // its time is not known yet
    waited = 4    // the policy chose nothing, and a thread waits for it
  };
  std::string_view name;
  std::uint64_t now_ns = 0, held_ns = 0;  // now, and when the launch was made
  BlockRange blocks;
  std::uint64_t of_blocks = 1;
  unsigned units = 0, of_units = 0;
  double predicted_seconds = -1;
  Why why = Why::alone;
};

// Where grants come from, and where what happens is reported. The calls come under the core's lock, one at a time, and
// must not block.
class Grants {
 public:
  virtual ~Grants() = default;
  virtual std::optional<Allowance> allowance() = 0;  // nothing: nobody grants; the process is alone
  virtual void submitted(const Submitted& range) = 0;
  virtual void ended(const Completion& completion) = 0;
  virtual void load(std::size_t held, std::size_t in_flight) = 0;
};

class GrantedPolicy final : public Policy {
 public:
  GrantedPolicy(std::unique_ptr<Policy> own, std::shared_ptr<Grants> grants)
      : own_(std::move(own)), grants_(std::move(grants)) {}
  bool sees_ranges() const override { return true; }
  void decide(const View& view, std::vector<Decision>& decisions) override;
  std::optional<std::uint64_t> wake_ns(const View& view) override;
  std::string explain() const override { return own_->explain(); }
  std::vector<Figure> figures() const override { return own_->figures(); }
  bool withholds() const override { return granted_; }
  void ended(const Completion& completion) override { grants_->ended(completion); }
  void queue_removed(std::uint32_t queue) override { own_->queue_removed(queue); }
  void tenant_removed(std::uint32_t tenant) override { own_->tenant_removed(tenant); }
  void load(std::size_t held, std::size_t in_flight) override { grants_->load(held, in_flight); }

 private:
  static constexpr std::uint64_t look_again_ns = 200'000;
  // The granted processors of a device, ascending.
  struct Place {
    std::vector<unsigned> processors;
    std::vector<int> number;  // by processor: its place in `processors`, or -1
    unsigned units = 0, of_units = 0;
    bool all = false;
  };

  void take(const Allowance& allowance, const View& view);
  void ask_own(const View& view, std::vector<Decision>& decisions);
  void submit_whole(const View& view, std::vector<Decision>& decisions) const;
  void restrict_ranges(const View& view, View& shown);
  const std::vector<unsigned>* restricted(const RangeView& range);
  void report(const View& view, const std::vector<Decision>& decisions);

  const std::unique_ptr<Policy> own_;
  const std::shared_ptr<Grants> grants_;
  bool granted_ = false, waited_ = false, asked_ = false;  // asked_: the own policy, this time
  std::optional<Allowance> last_;
  std::uint64_t changes_ = 0, look_ns_ = 0;
  std::vector<Place> places_;
  // What the own policy is shown; members, so that their memory is reused.
  std::vector<DeviceView> devices_;
  std::vector<RangeView> in_flight_;
  std::vector<Completion> completions_;
  std::vector<std::vector<unsigned>> sets_;
  std::vector<std::uint64_t> begin_;
};

}  // namespace heddle::sched
