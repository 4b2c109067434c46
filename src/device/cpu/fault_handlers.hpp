// Signals that kernels raise: turned into a record of what happened (fault.hpp), and a way back to the worker.
#pragma once

namespace heddle::device::cpu {

class Worker;

// While one exists, faults inside kernels are caught in this process; all others go to the handler that was installed
// before. Signal handlers belong to the process, so instances share one installation.
class FaultHandlers {
 public:
  FaultHandlers();
  ~FaultHandlers();
  FaultHandlers(const FaultHandlers&) = delete;
  FaultHandlers& operator=(const FaultHandlers&) = delete;

  // Takes the signals again where somebody has installed handlers since, as Python's faulthandler does; those get what
  // is no fault of a kernel. One call of the system where nobody has. While one exists; any thread.
  static void renew();
};

// To be called in a signal handler, with the context that it got: when the handler returns, the thread leaves the
// kernel of its worker, whose fault() has been filled in, and not the code that the signal has interrupted.
void leave_kernel(void* context, Worker& worker);

// The worker that the calling thread occupies, or null.
Worker* worker_of_thread();
// Records which worker the calling thread occupies (null: none any more), and makes sure that the thread has an
// alternate stack for signals: a fiber that has overflowed its own stack has none. Meanwhile the signals of faults are
// not blocked in the thread.
void set_worker_of_thread(Worker* worker);

}  // namespace heddle::device::cpu
