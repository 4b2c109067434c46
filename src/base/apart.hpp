// Work that leaves no traces in the heap of the thread that asks for it.
//
// A program that Heddle's libraries run in was written for another library. Some read fresh memory of malloc() before
// they have written to it, and are right as long as that is zero: pages that nobody has used. Loading libraries,
// opening devices and compiling kernels take and give back megabytes. In a thread of its own the C library serves them
// from another part of the heap, and the program's part stays as it was.
#pragma once

#include <functional>

namespace heddle::base {

// Runs `work` in a thread of its own and waits for it; throws what it throws. That thread gets no signals that are
// meant for the program, nor do the threads that it starts, and it has 16 MiB of stack at the least. The calling thread
// does the work itself where no thread can be had, where it is such a thread already, and where it holds the lock of
// the dynamic loader (it runs a constructor of a library that dlopen() loads): the other thread could open no library
// then.
void run_apart(const std::function<void()>& work);

}  // namespace heddle::base
