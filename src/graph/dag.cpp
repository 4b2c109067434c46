#include "graph/dag.hpp"

#include <algorithm>
#include <utility>

namespace heddle::graph {
namespace {

constexpr std::size_t few_readers = 8;

// No task has this number.
constexpr TaskId no_task = ~TaskId{0};

}  // namespace

Dag::Dag() {
  slots_.add();
  ids_.push_back(no_task);
}

ObjectId Dag::add_object(std::uint64_t size) {
  if (free_objects_.empty()) {
    objects_.push_back(std::make_unique<Segments>(size));
    return static_cast<ObjectId>(objects_.size() - 1);
  }
  const ObjectId object = free_objects_.back();
  free_objects_.pop_back();
  objects_[object] = std::make_unique<Segments>(size);
  return object;
}

void Dag::remove_object(ObjectId object) {
  objects_[object].reset();
  free_objects_.push_back(object);
}

// From the end: few parents are older than those that are there. Inlined by force here and in use(): each launch calls
// them several times.
[[gnu::always_inline]] inline void Dag::Sorted::add(TaskRef ref) {
  if (size_ == room_.size()) [[unlikely]]
    grow();
  TaskRef* const first = room_.data();
  TaskRef* const end = first + size_;
  TaskRef* at = end;
  while (at != first && at[-1].id > ref.id) --at;
  if (at != first && at[-1].id == ref.id) return;
  for (TaskRef* to = end; to != at; --to) *to = to[-1];
  *at = ref;
  ++size_;
}

void Dag::Sorted::grow() { room_.resize(2 * room_.size()); }

void Dag::Sorted::remove(std::size_t place) {
  std::copy(data() + place + 1, data() + size_, data() + place);
  --size_;
}

// Drops readers that are finished, and those whose queue has a later one. Not again before there are twice as many.
void Dag::shorten(Segment& segment) const {
  std::vector<TaskRef>& readers = segment.readers;
  boost::container::small_vector<std::uint64_t, 32> queues;
  std::size_t kept = readers.size();
  for (std::size_t i = readers.size(); i-- > 0;) {
    if (finished(readers[i])) continue;
    const Task& reader = slots_[readers[i].slot];
    const std::uint64_t queue = std::uint64_t{reader.place} << 32 | reader.queue;
    if (std::find(queues.begin(), queues.end(), queue) != queues.end()) continue;
    queues.push_back(queue);
    readers[--kept] = readers[i];
  }
  readers.erase(readers.begin(), readers.begin() + static_cast<std::ptrdiff_t>(kept));
  segment.shorten_at = static_cast<std::uint32_t>(std::max(few_readers, 2 * readers.size()));
}

[[gnu::always_inline]] inline void Dag::use(Segment& segment, bool modifying, TaskRef task) {
  if (!modifying) {
    if (!finished(segment.writer)) parents_.add(segment.writer);
    if (segment.readers.size() >= segment.shorten_at) [[unlikely]]
      shorten(segment);
    segment.readers.push_back(task);
    return;
  }
  // Each reader comes behind the writer, which it has as a parent or, if it was there before the writer ended, had.
  bool read = false;
  for (const TaskRef& reader : segment.readers) {
    if (finished(reader)) continue;
    read = true;
    parents_.add(reader);
  }
  if (!read && !finished(segment.writer)) parents_.add(segment.writer);
  segment.writer = task;
  segment.readers.clear();
}

// By a task that has used bytes of the object before, maybe these: it does not depend on itself.
void Dag::use_again(Segment& segment, bool modifying, TaskRef task) {
  if (segment.writer == task) return;
  const auto own = std::find(segment.readers.begin(), segment.readers.end(), task);
  if (own != segment.readers.end()) {
    if (!modifying) return;
    segment.readers.erase(own);
  }
  use(segment, modifying, task);
}

// Drops each parent that is an ancestor of another one. Numbers grow from parents to children, so that the search goes
// up from the others and no further than the smallest number.
void Dag::reduce() {
  std::size_t looked_at = 0;
  const TaskId oldest = parents_.data()->id;
  work_.clear();
  for (std::size_t left = parents_.size(); left-- > 1;) {
    TaskRef next = parents_.data()[left];
    for (;;) {
      if (++looked_at > reduction_limit) return;
      const TaskRefs& above = slots_[next.slot].parents;
      // They are sorted, and most are older than all that can be dropped.
      for (const TaskRef* parent = above.data() + above.size(); parent-- != above.data() && parent->id >= oldest;) {
        if (finished(*parent)) continue;
        Task& seen = slots_[parent->slot];
        if (seen.seen_by == last_) continue;
        seen.seen_by = last_;
        const TaskRef *const first = parents_.data(), *const end = first + parents_.size(), *implied = first;
        while (implied != end && implied->id != parent->id) ++implied;
        if (implied != end) {
          parents_.remove(static_cast<std::size_t>(implied - first));
          if (parents_.size() == 1) return;
          --left;  // it was one of those before
        }
        work_.push_back(*parent);
      }
      if (work_.empty()) break;
      next = work_.back();
      work_.pop_back();
    }
  }
}

// finish() must not need memory: it has room for all slots.
[[gnu::always_inline]] inline std::uint32_t Dag::take_slot() {
  if (free_.empty()) [[unlikely]] {
    const std::uint32_t slot = slots_.size();
    if (ids_.size() <= slot) ids_.resize(slot + 1);
    if (free_.capacity() <= slot) free_.reserve(2 * slot);
    return slots_.add();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void Dag::append(TaskRef& ref, std::span<const Access> accesses, std::span<const TaskRef> also) {
  const std::uint32_t slot = take_slot();
  Task& task = slots_[slot];
  task.id = ids_[slot] = ++last_;
  task.parents.clear();
  parents_.clear();
  task.queue_inherited = task.is_move = task.brief = false;
  ++active_;
  ref = {slot, task.id};
  for (const Access& access : accesses) {
    if (access.begin >= access.end) continue;
    Segments& segments = *objects_[access.object];
    const bool again = std::exchange(segments.named_by, last_) == last_;
    if (Segment* const whole = segments.whole(access.begin, access.end); whole != nullptr && !again) [[likely]] {
      use(*whole, modifies(access.mode), ref);
      continue;
    }
    segments.update(
        access.begin, access.end,
        [&](Segment& segment) {
          if (again) [[unlikely]]
            use_again(segment, modifies(access.mode), ref);
          else
            use(segment, modifies(access.mode), ref);
        },
        [&](const TaskRef& user) { return finished(user); });
  }
  for (const TaskRef& other : also)
    if (!finished(other)) parents_.add(other);
  if (parents_.size() > 1) reduce();
  task.parents.assign(parents_.data(), parents_.data() + parents_.size());
}

void Dag::order_after(TaskRef task, TaskRef other) {
  TaskRefs& parents = slots_[task.slot].parents;
  if (!finished(other) && (parents.empty() || parents.back().id < other.id)) parents.push_back(other);
}

TaskRefs Dag::hazards(const Access& access) const {
  Sorted found;
  const auto add = [&](TaskRef task) {
    if (!finished(task)) found.add(task);
  };
  objects_[access.object]->look(access.begin, access.end, [&](const Segment& segment) {
    add(segment.writer);
    if (!modifies(access.mode)) return;
    for (const TaskRef& reader : segment.readers) add(reader);
  });
  return {found.data(), found.data() + found.size()};
}

}  // namespace heddle::graph
