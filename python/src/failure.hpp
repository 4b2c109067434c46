// Errors of the C interface as exceptions of Python (heddle/_errors.py).
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "heddle/heddle.h"

namespace heddle::python {

namespace py = pybind11;

// The status of a function of the C interface, with the sentence of the thread that called it, so that another thread
// can raise it.
struct Failure {
  heddle_status status = HEDDLE_OK;
  heddle_fault fault = HEDDLE_FAULT_NONE;
  std::string message = {};
  explicit operator bool() const { return status != HEDDLE_OK; }
};

// Call it in the thread that got the status. Also without the GIL.
Failure failure(heddle_status status);

// Raises an exception of heddle._errors by its status and fault. Needs the GIL.
[[noreturn]] void raise(const Failure& failure);
inline void check(heddle_status status) {
  if (status != HEDDLE_OK) raise(failure(status));
}

// An error in an argument: the exceptions are InvalidArgument, and also TypeError or OverflowError.
enum class Wrong { value, type, overflow };
[[noreturn]] void raise(Wrong wrong, const std::string& message);

}  // namespace heddle::python
