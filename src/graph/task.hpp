// Tasks of the run-time DAG.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace heddle::graph {

// Tasks are numbered from 1 in the order in which they were appended; numbers are never reused. Parents have smaller
// numbers than their children.
using TaskId = std::uint64_t;

// Refers to a task without owning it. Slots are reused; the task of a stale reference is finished.
struct TaskRef {
  std::uint32_t slot = 0;
  TaskId id = 0;
  friend bool operator==(const TaskRef&, const TaskRef&) = default;
};

// Most tasks have few parents.
using TaskRefs = boost::container::small_vector<TaskRef, 4>;

// Aligned, so that its size is a power of two, by which Slots find it without a multiplication.
struct alignas(64) Task {
  TaskId id = 0;  // 0: the slot is free
  TaskRefs parents;
  TaskId seen_by = 0;  // the last task whose search for ancestors has visited this one
  // Where it runs: a queue of a device. Tasks of one queue run in the order in which they were appended.
  std::uint32_t place = 0, queue = 0;
  bool is_move = false;          // it copies bytes from one copy of an array to another
  bool queue_inherited = false;  // a child runs in this task's queue (graph/queue_chooser.hpp)
  bool brief = false;            // it takes hardly longer than submitting it (graph/queue_chooser.hpp)
};

}  // namespace heddle::graph
