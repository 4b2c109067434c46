// Functions of Python as tasks of a runtime (heddle_call), on devices that use the host's memory. All of it needs the
// GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "objects.hpp"

namespace heddle::python {

// The state that the task and the threads that wait for it share.
struct CallState;

// A function that a runtime runs as a task.
class AsyncCall {
 public:
  // `function` is called with a HostSpan for each input and output, in a thread of Heddle's. Inputs are only read,
  // outputs are read and modified. `device`: an id.
  AsyncCall(const std::shared_ptr<RuntimeState>& runtime, py::function function, const std::string& device,
            const std::vector<const ArrayBase*>& inputs, const std::vector<const ArrayBase*>& outputs);
  const Launch& launch() const { return *launch_; }
  // After its end. None if it has raised, or was never called because a task that it depends on has failed.
  py::object value() const;
  py::object raised() const;  // what it has raised; else None

 private:
  std::shared_ptr<CallState> state_;
  std::unique_ptr<Launch> launch_;
};

// Releases functions that were never called because a task that they depend on has failed.
void sweep_calls();
// From now on functions that have not been called are never called: the interpreter ends.
void end_calls();

}  // namespace heddle::python
