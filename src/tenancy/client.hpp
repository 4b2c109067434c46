// What a tenant's program does: makes requests, launches their kernels, and waits for them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sched/dispatcher.hpp"
#include "tenancy/load.hpp"
#include "tenancy/metrics.hpp"
#include "tenancy/virtual_work.hpp"

namespace heddle::tenancy {

class Client {
 public:
  // All outlive it. `stream`: the number of its first stream of the GPU.
  Client(const TenantLoad& load, sched::Dispatcher& dispatcher, base::Mutex& mutex, VirtualGpu& gpu,
         std::uint32_t stream, std::uint64_t seed);

  // Of open loads, in seconds; infinity for others.
  double next_arrival() const { return next_; }
  // A request arrives now.
  void arrive(double now);
  void start();  // closed loads begin
  void stop() { stopped_ = true; }

  std::uint64_t arrived() const { return arrived_; }
  // Requests that arrived from `from` on.
  TenantResult result(double from, double until) const;
  sched::Tenant& tenant() { return *tenant_; }

 private:
  // How many requests a closed load has launched ahead.
  static constexpr unsigned ahead = 2;
  struct Slot {
    sched::LaunchQueue* queue;
    std::uint32_t stream;
    unsigned requests = 0;
    std::shared_ptr<sched::HeldTask> last;
  };
  struct Ended {
    double arrival, end;
  };

  void serve();
  void launch(Slot& slot, double arrival);

  const TenantLoad& load_;
  sched::Dispatcher& dispatcher_;
  base::Mutex& mutex_;
  VirtualGpu& gpu_;
  sched::Tenant* tenant_;
  BlockTimes times_;
  Random random_;
  std::vector<Slot> slots_;
  std::deque<double> waiting_;  // arrivals
  std::vector<Ended> ended_;
  std::vector<double> open_;  // arrivals of requests that were launched and have not ended
  double next_;
  double now_ = 0;
  std::uint64_t arrived_ = 0;
  bool stopped_ = false;
};

}  // namespace heddle::tenancy
