// Errors of the C interface as exceptions of Python (heddle/_errors.py).
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "heddle/heddle.h"

namespace heddle::python {

namespace py = pybind11;

// What a function of the C interface returned, with the sentence of the thread that called it, so that another one can
// raise it.
struct Failure {
  heddle_status status = HEDDLE_OK;
  heddle_fault fault = HEDDLE_FAULT_NONE;
  std::string message = {};
  explicit operator bool() const { return status != HEDDLE_OK; }
};

// To be called in the thread that got the status. Without the GIL, too.
Failure failure(heddle_status status);

// Raises an exception of heddle._errors by its status and fault. Needs the GIL.
[[noreturn]] void raise(const Failure& failure);
inline void check(heddle_status status) {
  if (status != HEDDLE_OK) raise(failure(status));
}

// What is wrong with an argument: the exceptions are InvalidArgument, and besides TypeError, OverflowError.
enum class Wrong { value, type, overflow };
[[noreturn]] void raise(Wrong wrong, const std::string& message);

}  // namespace heddle::python
