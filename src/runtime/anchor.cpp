// The shared library is made of the rooms' archives; a library target needs one source of its own.
#include "base/thread.hpp"

namespace heddle::runtime {
namespace {

// Of the thread that loads the library, such as the main thread of Python.
[[maybe_unused]] const bool exceptions_are_prepared = [] {
  base::prepare_exceptions();
  return true;
}();

}  // namespace
}  // namespace heddle::runtime
