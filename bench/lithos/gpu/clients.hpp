// Clients of a tenant: threads that launch a sequence again and again, as a program does.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gpu/machine.hpp"
#include "gpu/sequences.hpp"

namespace heddle::bench::lithos_gpu {

// What one tenant is to do.
struct Load {
  TenantOptions tenant;
  const Sequence* sequence = nullptr;
  double rate = 0;  // requests a second, at random (Poisson); 0: the next one when one has ended
  std::uint64_t seed = 1;
  unsigned queues = 1;  // closed loads only: so many, with the sequence on each
  // So many launches of each queue are in flight or held at a time; 0: a whole request. Closed loads of class batch.
  unsigned ahead = 8;
};

// A request that has ended, and a step that has ended.
struct Served {
  double arrival = 0, end = 0;  // seconds of the host's clock
};
struct Progress {
  double end = 0;
  double seconds = 0;  // that its step takes alone
};

// Its thread runs from start() to stop(). What it has measured may be read after stop().
class Client {
 public:
  virtual ~Client() = default;
  explicit Client(const Machine& machine) : machine_(machine) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void start(double at);  // seconds of the host's clock
  void ask_to_stop() { stop_ = true; }
  void join();
  // Throws what its thread has thrown.
  void check() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  const std::vector<Served>& served() const { return served_; }
  const std::vector<Progress>& progress() const { return progress_; }

 protected:
  // On the client's thread, until it shall stop. What implements it joins in its destructor.
  virtual void work(double at) = 0;

  const Machine& machine_;
  std::atomic<bool> stop_{false};
  std::vector<Served> served_;
  std::vector<Progress> progress_;

 private:
  std::exception_ptr failure_;
  std::thread thread_;
};

// Serves requests one after the other. The request is launched when it has arrived and the one before it has ended, and
// the thread waits for its end. Requests that wait when it stops count as ended then.
std::unique_ptr<Client> make_serving_client(const Machine& machine, const Tenant& tenant, const Load& load);
// Launches the sequence without a pause, a few launches ahead. It never waits in the runtime, but asks for the end.
std::unique_ptr<Client> make_training_client(const Machine& machine, const Tenant& tenant, const Load& load);

}  // namespace heddle::bench::lithos_gpu
