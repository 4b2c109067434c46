#include "gpu/clients.hpp"

#include <chrono>
#include <deque>

#include "tenancy/arrivals.hpp"

namespace heddle::bench::lithos_gpu {

void Client::start(double at) {
  thread_ = std::thread([this, at] {
    try {
      machine_.device().enter();
      work(at);
    } catch (...) {
      failure_ = std::current_exception();
    }
  });
}

void Client::join() {
  ask_to_stop();
  if (thread_.joinable()) thread_.join();
}

namespace {

class ServingClient final : public Client {
 public:
  ServingClient(const Machine& machine, const Tenant& tenant, const Load& load)
      : Client(machine),
        queue_(tenant.queue(machine.device())),
        sequence_(*load.sequence),
        buffers_(machine.buffers(load.sequence->warps())),
        rate_(load.rate),
        random_(load.seed) {}
  ~ServingClient() override { join(); }

 private:
  void work(double at) override {
    double arrival = next(at);
    wait(at);
    while (!stop_) {
      if (rate_ > 0)
        wait(arrival);
      else
        arrival = now();
      if (stop_) break;
      for (const Step& step : sequence_.steps) machine_.launch(queue_, step, buffers_);
      queue_.synchronize();
      const double end = now();
      served_.push_back({arrival, end});
      progress_.push_back({end, sequence_.seconds});
      arrival = next(arrival);
    }
    // Those that have arrived and were not served.
    const double end = now();
    for (; rate_ > 0 && arrival < end; arrival = next(arrival)) served_.push_back({arrival, end});
  }
  double next(double before) {
    return rate_ > 0 ? tenancy::next_arrival(tenancy::Arrivals::poisson, rate_, before, random_) : before;
  }
  // In steps, so that stopping takes effect.
  void wait(double until) const {
    constexpr double step = 5e-3;
    while (!stop_ && until - now() > step) wait_until(now() + step);
    if (!stop_) wait_until(until);
  }

  const Queue queue_;
  const Sequence& sequence_;
  const Buffers buffers_;
  const double rate_;
  tenancy::Random random_;
};

class TrainingClient final : public Client {
 public:
  TrainingClient(const Machine& machine, const Tenant& tenant, const Load& load)
      : Client(machine),
        sequence_(*load.sequence),
        buffers_(machine.buffers(load.sequence->warps())),
        ahead_(load.ahead == 0 ? static_cast<unsigned>(load.sequence->steps.size()) : load.ahead) {
    for (unsigned i = 0; i < load.queues; ++i) {
      lanes_.push_back(std::make_unique<Lane>(Lane{tenant.queue(machine.device()), {}, {}, 0}));
      for (unsigned k = 0; k < ahead_; ++k) lanes_.back()->free.push_back(machine.device().untimed_event());
    }
  }
  ~TrainingClient() override { join(); }

 private:
  struct Open {
    Event end;
    double seconds;
  };
  struct Lane {
    Queue queue;
    std::deque<Open> open;
    std::vector<Event> free;
    std::size_t next;  // step
  };

  void work(double at) override {
    wait_until(at);
    while (!stop_) {
      bool any = false;
      for (const auto& lane : lanes_) any = advance(*lane) || any;
      if (!any) std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  // Whether something could be done.
  bool advance(Lane& lane) {
    bool any = false;
    while (!lane.open.empty() && lane.open.front().end.done()) {
      progress_.push_back({now(), lane.open.front().seconds});
      lane.free.push_back(std::move(lane.open.front().end));
      lane.open.pop_front();
      any = true;
    }
    if (lane.next == sequence_.steps.size()) {
      if (!lane.open.empty()) return any;
      lane.queue.synchronize();  // of an iteration: nothing is left to wait for
      lane.next = 0;
    }
    while (!stop_ && lane.next < sequence_.steps.size() && !lane.free.empty()) {
      const Step& step = sequence_.steps[lane.next++];
      machine_.launch(lane.queue, step, buffers_);
      lane.queue.record(lane.free.back());
      lane.open.push_back({std::move(lane.free.back()), step.seconds});
      lane.free.pop_back();
      any = true;
    }
    return any;
  }

  const Sequence& sequence_;
  const Buffers buffers_;
  const unsigned ahead_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace

std::unique_ptr<Client> make_serving_client(const Machine& machine, const Tenant& tenant, const Load& load) {
  return std::make_unique<ServingClient>(machine, tenant, load);
}

std::unique_ptr<Client> make_training_client(const Machine& machine, const Tenant& tenant, const Load& load) {
  return std::make_unique<TrainingClient>(machine, tenant, load);
}

}  // namespace heddle::bench::lithos_gpu
