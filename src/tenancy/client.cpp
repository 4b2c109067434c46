#include "tenancy/client.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace heddle::tenancy {

Client::Client(const TenantLoad& load, sched::Dispatcher& dispatcher, base::Mutex& mutex, VirtualGpu& gpu,
               std::uint32_t stream, std::uint64_t seed)
    : load_(load), dispatcher_(dispatcher), mutex_(mutex), gpu_(gpu), random_(seed) {
  const base::Lock lock(mutex_);
  tenant_ = &dispatcher_.add_tenant(load_.settings);
  for (unsigned i = 0; i < load_.streams; ++i)
    slots_.push_back({&dispatcher_.add_queue(load_.settings.name, 0, tenant_), stream + i, 0, nullptr});
  next_ = load_.arrivals == Arrivals::closed ? std::numeric_limits<double>::infinity()
                                             : tenancy::next_arrival(load_.arrivals, load_.rate, 0, random_);
}

void Client::start() {
  if (load_.arrivals == Arrivals::closed) serve();
}

void Client::arrive(double now) {
  now_ = now;
  ++arrived_;
  waiting_.push_back(now);
  next_ = tenancy::next_arrival(load_.arrivals, load_.rate, now, random_);
  serve();
}

void Client::serve() {
  const bool closed = load_.arrivals == Arrivals::closed;
  for (Slot& slot : slots_) {
    while (slot.requests < (closed ? ahead : 1)) {
      if (closed ? stopped_ : waiting_.empty()) break;
      const double arrival = closed ? now_ : waiting_.front();
      if (closed)
        ++arrived_;
      else
        waiting_.pop_front();
      launch(slot, arrival);
    }
  }
}

void Client::launch(Slot& slot, double arrival) {
  ++slot.requests;
  open_.push_back(arrival);
  const auto ended = [this, &slot, arrival](std::uint64_t end_ns) {
    now_ = static_cast<double>(end_ns) * 1e-9;
    --slot.requests;
    ended_.push_back({arrival, now_});
    open_.erase(std::find(open_.begin(), open_.end(), arrival));
    serve();
  };
  const std::uint64_t request = arrived_;
  std::vector<const KernelModel*> kernels;
  for (std::size_t i = 0; i < load_.model.kernels.size(); ++i)
    if (!load_.launches || load_.launches(request, i)) kernels.push_back(&load_.model.kernels[i]);
  const base::Lock lock(mutex_);
  dispatcher_.begin_batch(*slot.queue);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    auto work = std::make_unique<VirtualWork>(gpu_, slot.stream, *kernels[i], times_,
                                              i + 1 == kernels.size() ? ended : std::function<void(std::uint64_t)>());
    const std::shared_ptr<sched::HeldTask> parents[] = {slot.last};
    slot.last = dispatcher_.hold_after(*slot.queue, std::move(work), parents);
  }
}

TenantResult Client::result(double from, double until) const {
  TenantResult made;
  made.name = load_.settings.name;
  made.seconds = until - from;
  for (const Ended& each : ended_) {
    // Closed loads are counted by their ends, open ones by their arrivals.
    const double counted = load_.arrivals == Arrivals::closed ? each.end : each.arrival;
    if (counted >= from) made.latencies.push_back(each.end - each.arrival);
  }
  if (load_.arrivals == Arrivals::closed) return made;
  for (const auto& list : {std::vector<double>(waiting_.begin(), waiting_.end()), open_})
    made.unfinished += static_cast<std::uint64_t>(
        std::count_if(list.begin(), list.end(), [from](double arrival) { return arrival >= from; }));
  return made;
}

}  // namespace heddle::tenancy
