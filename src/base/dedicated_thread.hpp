// Runs work on a dedicated thread, so that it leaves the heap of the calling thread as it was.
//
// Programs that run with Heddle's libraries were written for another library. Some read memory of malloc() before they
// have written to it. They work as long as that memory is zero, as unused pages are. Loading libraries, opening devices
// and compiling kernels allocate and free megabytes. On a dedicated thread the C library serves these allocations from
// another arena. The arena of the program's thread is not used.
#pragma once

#include <functional>

namespace heddle::base {

// Runs `work` on a dedicated thread and waits for it. Throws what `work` throws. The dedicated thread, and the threads
// that it starts, receive no signals of the program. Its stack has at least 16 MiB. The calling thread runs `work`
// itself in three cases: no thread can be started; it is a dedicated thread already; it holds the dynamic loader's
// lock, as it runs a constructor of a library that dlopen() loads. In the last case the dedicated thread could not open
// a library.
void run_on_dedicated_thread(const std::function<void()>& work);

// For parsers and compilers, which recurse: runs `work` on the calling thread, or on a dedicated one where the limit of
// the process (ulimit -s) is below what programs have as a rule. Throws what `work` throws.
void run_with_usual_stack(const std::function<void()>& work);

}  // namespace heddle::base
