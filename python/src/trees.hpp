// Trees of kernels (heddle/skeleton.h) as Python holds them. All of it needs the GIL, except where it says otherwise.
#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heddle/skeleton.h"
#include "objects.hpp"

namespace heddle::python {

// A kernel and one of its parameters: what a number among a run's arguments is converted for.
struct Taker {
  std::shared_ptr<const Kernel> kernel;
  std::size_t parameter = 0;
};

struct Tree {
  std::shared_ptr<RuntimeState> runtime;
  std::shared_ptr<heddle_tree> handle;
  std::map<unsigned, Taker> numbers;  // by argument of the run
};

// What a loop's functions are given; usable while they run.
class LoopView {
 public:
  LoopView(heddle_loop_view* view, std::shared_ptr<const std::map<unsigned, Taker>> numbers)
      : view_(view), numbers_(std::move(numbers)) {}
  std::size_t iteration() const;
  py::memoryview read(unsigned slot, std::size_t element_bytes) const;
  void set(unsigned slot, py::handle value) const;
  void end() { view_ = nullptr; }

 private:
  heddle_loop_view* use() const;

  heddle_loop_view* view_;
  std::shared_ptr<const std::map<unsigned, Taker>> numbers_;
};

// A run that was asked for, with the arrays that it needs until it is done.
class TreeRun {
 public:
  TreeRun(std::shared_ptr<RuntimeState> runtime, heddle_tree_run* handle, std::vector<std::shared_ptr<Buffer>> buffers);
  bool done() const;
  void wait() const;
  py::dict report() const;  // waits

 private:
  std::shared_ptr<RuntimeState> runtime_;
  std::shared_ptr<heddle_tree_run> handle_;
  std::vector<std::shared_ptr<Buffer>> buffers_;
};

class Executor {
 public:
  Executor(const std::shared_ptr<RuntimeState>& runtime, const py::dict& options);
  // Arguments: (number,) or (array, bytes of an element, heddle_number).
  std::shared_ptr<TreeRun> run(const Tree& tree, const py::list& arguments);
  void tune(const Tree& tree, const py::list& arguments);

 private:
  std::shared_ptr<RuntimeState> runtime_;
  // Runs that nobody may hold any more; the executor's end waits for them.
  std::shared_ptr<std::vector<std::shared_ptr<TreeRun>>> pending_;
  std::shared_ptr<heddle_executor> handle_;
};

void define_trees(py::module_& module);

}  // namespace heddle::python
