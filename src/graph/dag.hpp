// The DAG of a program's tasks, inferred while the program runs: which task must run before which, from the bytes that
// each task reads and modifies.
//
// Rules of "GrCUDA: DAG-based scheduling" (Parravicini et al., IPDPS 2021, section IV-A and figure 3): a reader depends
// on the last writer of its bytes, and leaves that writer in place for other readers. A writer depends on the tasks
// that have read the bytes since they were written, or on the last writer if there are no such readers, and takes their
// place. Unlike there, dependences concern byte ranges of objects, not whole arrays. So accesses to one object conflict
// only where their ranges overlap.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graph/access.hpp"
#include "graph/segments.hpp"
#include "graph/slots.hpp"
#include "graph/task.hpp"

namespace heddle::graph {

// One thread at a time. Its cost for a task does not grow with the number of tasks before it: finished tasks are
// removed, and of many readers that run in one queue only the last is kept.
class Dag {
 public:
  Dag();
  // `size`: bytes.
  ObjectId add_object(std::uint64_t size);
  // Tasks that use the object stay in the DAG. No later task depends on them because of its bytes.
  void remove_object(ObjectId object);

  // Appends a task. Its parents are sorted by number. None of them is finished, and none is an ancestor of another
  // (transitive reduction). The search visits at most `reduction_limit` tasks, so the cost is bounded. Beyond that
  // limit an edge may be superfluous, but none is missing. Accesses to the same bytes in one task count as one access
  // with both modes. The task also depends on the tasks of `also`. The reference is valid until the task is finished.
  TaskRef append(std::span<const Access> accesses, std::span<const TaskRef> also = {}) {
    TaskRef task;
    append(task, accesses, also);
    return task;
  }
  // The same. If it throws, as there is no memory, and `task` has a number, then that task has no parents, and is in
  // the place of some of the earlier tasks that it was to depend on. Later tasks may not depend on these.
  void append(TaskRef& task, std::span<const Access> accesses, std::span<const TaskRef> also = {});
  // Makes a task that was just appended depend on `other`, unless it depends on a task that was appended later than
  // `other`. The caller guarantees that such a later task depends on `other`.
  void order_after(TaskRef task, TaskRef other);

  Task& operator[](TaskRef ref) { return slots_[ref.slot]; }
  const Task& operator[](TaskRef ref) const { return slots_[ref.slot]; }
  bool finished(TaskRef ref) const { return ids_[ref.slot] != ref.id; }

  // Records that the task and all its ancestors have run. Calls `each` for every task that becomes finished, children
  // before parents.
  template <class F>
  void finish(TaskRef ref, F&& each) {
    if (finished(ref)) return;
    work_.clear();
    TaskRef next = ref;
    for (;;) {
      Task& task = slots_[next.slot];
      each(next, task);
      for (const TaskRef& parent : task.parents)
        if (!finished(parent)) work_.push_back(parent);
      task.id = ids_[next.slot] = 0;
      free_.push_back(next.slot);
      --active_;
      do {  // most parents are finished already
        if (work_.empty()) return;
        next = work_.back();
        work_.pop_back();
      } while (finished(next));
    }
  }
  void finish(TaskRef ref) {
    finish(ref, [](TaskRef, Task&) {});
  }

  // The unfinished tasks for which an access of the host has to wait: those that modify the bytes, and for a modifying
  // access also those that read them. Empty if the host need not wait. The access does not become a task.
  TaskRefs hazards(const Access& access) const;

  // The number of tasks that are not finished.
  std::size_t active() const { return active_; }
  // All slots of references are below it.
  std::uint32_t slots() const { return slots_.size(); }
  TaskId last() const { return last_; }
  // The number of segments of the object; for tests.
  std::size_t segments(ObjectId object) const { return objects_[object]->count(); }

  static constexpr std::size_t reduction_limit = 64;

 private:
  // Tasks without repetitions, sorted by number. Its memory is used again and again.
  class Sorted {
   public:
    void add(TaskRef ref);
    void remove(std::size_t place);
    TaskRef* data() { return room_.data(); }
    std::size_t size() const { return size_; }
    void clear() { size_ = 0; }

   private:
    void grow();
    boost::container::small_vector<TaskRef, 16> room_ = boost::container::small_vector<TaskRef, 16>(16);
    std::size_t size_ = 0;
  };
  void use(Segment& segment, bool modifying, TaskRef task);
  void use_again(Segment& segment, bool modifying, TaskRef task);
  void shorten(Segment& segment) const;
  void reduce();
  std::uint32_t take_slot();

  std::vector<std::unique_ptr<Segments>> objects_;
  std::vector<ObjectId> free_objects_;
  Slots<Task> slots_;
  // Of the tasks in the slots. In an array of their own, as most lookups need only these. No task has the first slot,
  // so that a reference to no task is to a finished one.
  std::vector<TaskId> ids_;
  std::vector<std::uint32_t> free_;
  std::vector<TaskRef> work_;
  Sorted parents_;  // of the task that is being appended
  std::size_t active_ = 0;
  TaskId last_ = 0;
};

}  // namespace heddle::graph
