// Waiting without the GIL, so that other threads of Python continue, and so that Ctrl-C ends the wait.
//
// Python runs its signal handlers in the main thread alone, and a wait of Heddle's knows nothing of them. So a helper
// thread waits instead of the main thread, which checks for signals.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <functional>
#include <memory>

#include "failure.hpp"

namespace heddle::python {

// The shared state of the waits of a runtime's objects.
struct WaitState {
  // Waits that a signal has ended for Python, and that a helper is still in. Freeing the objects that they wait for
  // would block.
  std::atomic<int> abandoned{0};
  // At the end of the process nothing is freed any more, since freeing could block for ever.
  std::atomic<bool> leak{false};
  // The process that the runtime was made in: its threads are not in a child made by fork().
  unsigned generation;
  WaitState();
  bool of_this_process() const;
};

// Runs `work` and raises what it returns, with the GIL released. In the main thread a signal's handler may end the wait
// with an exception (KeyboardInterrupt); `work` then still runs, so it must own all that it uses. Needs the GIL.
// `after_a_second`: called once, in the main thread and with the GIL, if the work takes longer than that.
void wait_for(const std::shared_ptr<WaitState>& state, std::function<Failure()> work,
              const std::function<void()>& after_a_second = {});

// Exists while a thread of Heddle's runs a task that is a function of Python: such a task must not wait for tasks.
class InTask {
 public:
  InTask();
  ~InTask();
  InTask(const InTask&) = delete;
  InTask& operator=(const InTask&) = delete;
};

// Runs `free`, which frees something and may wait for launches, in a destructor: raises nothing. After a Ctrl-C, and in
// a task, a helper does it. With or without the GIL.
void let_go(const std::shared_ptr<WaitState>& state, std::function<void()> free);

}  // namespace heddle::python
