// Waiting without the GIL, so that other threads of Python go on, and so that Ctrl-C ends it.
//
// Python runs its signal handlers in the main thread alone, and a wait of Heddle's knows nothing of them. So the main
// thread has a helper thread wait in its place, and looks for signals meanwhile.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <functional>
#include <memory>

#include "failure.hpp"

namespace heddle::python {

// What the waits of a runtime's objects share.
struct WaitState {
  // Waits that a signal has ended for Python, and that a helper is still in. Freeing what they wait for would block.
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
// `after_a_second`: called once, in the main thread and with the GIL, where the work takes longer than that.
void wait_for(const std::shared_ptr<WaitState>& state, std::function<Failure()> work,
              const std::function<void()>& after_a_second = {});

// There while a thread of Heddle's runs a task that is a function of Python: there nothing may wait for tasks.
class InTask {
 public:
  InTask();
  ~InTask();
  InTask(const InTask&) = delete;
  InTask& operator=(const InTask&) = delete;
};

// Runs `free`, which gives something back and may wait for launches, in a destructor: raises nothing. A Ctrl-C
// leaves it to a helper, and so does a task. With or without the GIL.
void let_go(const std::shared_ptr<WaitState>& state, std::function<void()> free);

}  // namespace heddle::python
