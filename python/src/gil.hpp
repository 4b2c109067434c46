// The GIL, for work that waits without it.
#pragma once

#include <pybind11/pybind11.h>
#include <unistd.h>

namespace heddle::python {

// During its lifetime the calling thread, which has the GIL, does without it. As py::gil_scoped_release, but for
// threads that Python leaves running when it ends: such a thread does not get the GIL again, and Python ends it by an
// exception that no destructor may pass on. Here it sleeps until the process has ended, as from Python 3.14 on.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) {}
  ~ReleasedGil() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      for (;;) ::pause();
    }
  }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* const state_;
};

// PyGILState_Ensure for a thread of Heddle's, with the same end.
inline PyGILState_STATE ensure_gil() {
  try {
    return PyGILState_Ensure();
  } catch (...) {
    for (;;) ::pause();
  }
}

}  // namespace heddle::python
