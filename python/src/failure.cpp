#include "failure.hpp"

#include <new>

namespace heddle::python {
namespace {

[[noreturn]] void throw_made(const py::object& exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw py::error_already_set();
}

}  // namespace

Failure failure(heddle_status status) {
  Failure made{status, status == HEDDLE_OK ? HEDDLE_FAULT_NONE : heddle_last_fault()};
  try {
    if (made) made.message = heddle_last_error();
  } catch (const std::bad_alloc&) {  // the status alone says enough
  }
  return made;
}

void raise(const Failure& failure) {
  const py::module_ errors = py::module_::import("heddle._errors");
  const auto message = py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(failure.message.data(), static_cast<Py_ssize_t>(failure.message.size()), "replace"));
  throw_made(errors.attr("of_status")(heddle_status_name(failure.status), message, static_cast<int>(failure.fault)));
}

void raise(Wrong wrong, const std::string& message) {
  const char* const name = wrong == Wrong::type       ? "ArgumentTypeError"
                           : wrong == Wrong::overflow ? "ArgumentOverflow"
                                                      : "InvalidArgument";
  throw_made(py::module_::import("heddle._errors").attr(name)(message));
}

}  // namespace heddle::python
