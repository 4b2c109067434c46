// Queues of one device among several: children that run elsewhere take none of its queues.
#include "graph/queue_chooser.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <vector>

namespace heddle::graph {
namespace {

// Two devices with a chooser each, as the engine has them.
struct Devices {
  explicit Devices(const Scheduling& policy) {
    choosers.assign(2, QueueChooser(policy));
    for (int i = 0; i < 5; ++i) objects.push_back(dag.add_object(16));
  }
  explicit Devices(Scheduling::ChildQueues children) : Devices(Scheduling{.child_queues = children}) {}
  // A task on a device that reads objects and modifies one.
  struct Made {
    TaskRef task;
    QueueChoice choice;
  };
  Made task(std::uint32_t device, std::vector<int> reads, int modifies, std::optional<std::size_t> own = {},
            bool brief = false) {
    std::vector<Access> accesses{{objects[static_cast<std::size_t>(modifies)], Mode::read_write, 0, 16}};
    for (const int read : reads) accesses.push_back({objects[static_cast<std::size_t>(read)], Mode::read, 0, 16});
    Made made;
    made.task = dag.append(accesses);
    dag[made.task].place = device;
    made.choice = choosers[device].choose(dag, made.task, [&](const Task& t) { return t.place == device; },
                                          {.own = own, .brief = brief});
    return made;
  }
  void finish(TaskRef task) {
    dag.finish(task, [&](TaskRef, const Task& t) { choosers[t.place].finished(t); });
  }

  Dag dag;
  std::vector<QueueChooser> choosers;
  std::vector<ObjectId> objects;
};

TEST(QueueChooser, AChildElsewhereLeavesTheParentsQueueToTheNextOneHere) {
  Devices devices(Scheduling::ChildQueues::disjoint);
  const auto parent = devices.task(0, {}, 0);
  const auto elsewhere = devices.task(1, {0}, 1);
  EXPECT_TRUE(elsewhere.choice.is_new);
  EXPECT_TRUE(elsewhere.choice.awaited.empty());  // the caller waits for tasks of other devices
  const auto here = devices.task(0, {0}, 2);
  EXPECT_EQ(here.choice.queue, parent.choice.queue);
  EXPECT_FALSE(here.choice.is_new);
  const auto second = devices.task(0, {0}, 3);
  EXPECT_NE(second.choice.queue, parent.choice.queue);
  EXPECT_EQ(second.choice.awaited.size(), 1u);
}

TEST(QueueChooser, SameAsParentIsThatOfTheFirstParentHere) {
  Devices devices(Scheduling::ChildQueues::same_as_parent);
  const auto elsewhere = devices.task(1, {}, 0);
  const auto busy = devices.task(0, {}, 1), parent = devices.task(0, {}, 2);
  EXPECT_NE(busy.choice.queue, parent.choice.queue);
  // Behind both: the first one's number is of another device's queue.
  EXPECT_EQ(devices.task(0, {0, 2}, 3).choice.queue, parent.choice.queue);
  const auto only_elsewhere = devices.task(0, {0}, 3);
  EXPECT_EQ(only_elsewhere.choice.queue, parent.choice.queue);  // behind the last one that modified 3
  EXPECT_EQ(elsewhere.choice.queue, 0u);
}

TEST(QueueChooser, QueuesOfTheirOwnAreLentToNobody) {
  for (const auto children : {Scheduling::ChildQueues::disjoint, Scheduling::ChildQueues::same_as_parent}) {
    Devices devices(children);
    const auto first = devices.task(0, {}, 0, 0), second = devices.task(0, {}, 1, 1);
    EXPECT_TRUE(first.choice.is_new);
    EXPECT_TRUE(second.choice.is_new);
    EXPECT_NE(first.choice.queue, second.choice.queue);
    const auto child = devices.task(0, {0}, 2);
    EXPECT_NE(child.choice.queue, first.choice.queue);
    EXPECT_EQ(child.choice.awaited.size(), 1u);
    for (const auto& made : {first, second, child}) devices.finish(made.task);
    // One that is empty is for tasks like those before, and for no other.
    EXPECT_EQ(devices.task(0, {}, 3).choice.queue, child.choice.queue);
    EXPECT_EQ(devices.task(0, {}, 0, 1).choice.queue, second.choice.queue);
    EXPECT_EQ(devices.task(0, {}, 1, 0).choice.queue, first.choice.queue);
  }
}

TEST(QueueChooser, AChildOfParentsElsewhereTakesAFreeQueue) {
  for (const auto children : {Scheduling::ChildQueues::disjoint, Scheduling::ChildQueues::same_as_parent}) {
    Devices devices(children);
    const auto first = devices.task(1, {}, 0), second = devices.task(1, {}, 1);
    EXPECT_NE(first.choice.queue, second.choice.queue);
    const auto child = devices.task(0, {0, 1}, 2);
    EXPECT_TRUE(child.choice.is_new);
    EXPECT_EQ(child.choice.queue, 0u);
    // On their own device it goes on in the first one's.
    EXPECT_EQ(devices.task(1, {0, 1}, 3).choice.queue, first.choice.queue);
  }
}

TEST(QueueChooser, OneWaitIsEnoughForAllOfAQueue) {
  Scheduling three;
  three.most_queues = 3;
  Devices devices(three);
  const auto writer = devices.task(0, {}, 0);
  const auto first = devices.task(0, {0}, 1), second = devices.task(0, {0}, 2), third = devices.task(0, {0}, 3),
             fourth = devices.task(0, {0}, 4);
  ASSERT_EQ(first.choice.queue, writer.choice.queue);
  ASSERT_EQ(fourth.choice.queue, second.choice.queue) << "there are no more";
  EXPECT_TRUE(fourth.choice.awaited.empty()) << "the queue waits for the writer already";
  const auto next = devices.task(0, {}, 0);
  ASSERT_EQ(next.choice.queue, first.choice.queue);
  ASSERT_EQ(devices.dag[next.task].parents.size(), 4u);
  ASSERT_EQ(next.choice.awaited.size(), 2u);
  EXPECT_EQ(next.choice.awaited[0], third.task);
  EXPECT_EQ(next.choice.awaited[1], fourth.task);
}

TEST(QueueChooser, BriefTasksShareFewQueues) {
  Devices devices(Scheduling::ChildQueues::disjoint);
  std::set<std::uint32_t> queues;
  std::size_t waits = 0;
  const auto writer = devices.task(0, {}, 0, {}, true);
  for (int i = 0; i < 40; ++i) {
    const auto reader = devices.task(0, {0}, 1 + i % 4, {}, true);
    queues.insert(reader.choice.queue);
    waits += reader.choice.awaited.size();
  }
  EXPECT_EQ(queues.size(), QueueChooser::brief_queues);
  EXPECT_EQ(queues.count(writer.choice.queue), 1u) << "the first reader stays in the writer's queue";
  EXPECT_EQ(devices.choosers[0].queues(), QueueChooser::brief_queues);
  EXPECT_GE(waits, QueueChooser::brief_queues - 1);
  EXPECT_EQ(devices.task(0, {1, 2, 3, 4}, 0, {}, true).choice.awaited.size(), QueueChooser::brief_queues - 1);
}

TEST(QueueChooser, BriefTasksAreNotBehindLastingOnes) {
  Devices devices(Scheduling::ChildQueues::disjoint);
  std::vector<Devices::Made> lasting;
  for (int i = 0; i < 4; ++i) lasting.push_back(devices.task(0, {}, i));
  for (int turn = 0; turn < 3; ++turn) {
    const auto brief = devices.task(0, {}, 4, {}, true);
    for (const auto& other : lasting) EXPECT_NE(brief.choice.queue, other.choice.queue);
    // A lasting child takes the brief one's queue; the next brief one must not be after it.
    const auto child = devices.task(0, {}, 4);
    EXPECT_EQ(child.choice.queue, brief.choice.queue);
    lasting.push_back(child);
    devices.dag.remove_object(devices.objects[4]);
    devices.objects[4] = devices.dag.add_object(16);
  }
  for (const auto& made : lasting) devices.finish(made.task);
  EXPECT_EQ(devices.choosers[0].busy(), 0u);
}

TEST(QueueChooser, CountsItsBusyQueues) {
  Devices devices(Scheduling::ChildQueues::disjoint);
  EXPECT_EQ(devices.choosers[0].busy(), 0u);
  const auto first = devices.task(0, {}, 0), behind = devices.task(0, {0}, 1), other = devices.task(0, {}, 2);
  EXPECT_EQ(devices.choosers[0].busy(), 2u);
  EXPECT_EQ(devices.choosers[1].busy(), 0u);
  devices.finish(first.task);
  EXPECT_EQ(devices.choosers[0].busy(), 2u);
  devices.finish(behind.task);
  EXPECT_EQ(devices.choosers[0].busy(), 1u);
  devices.finish(other.task);
  EXPECT_EQ(devices.choosers[0].busy(), 0u);
}

// A number is one queue from the first task on, whichever numbers come before it: two tasks that are open together must
// not share a queue.
TEST(QueueChooser, NumbersOfOwnQueuesStayWhatTheyAre) {
  Devices devices(Scheduling::ChildQueues::disjoint);
  std::vector<std::uint32_t> queues;
  const std::size_t numbers[] = {8, 4, 11, 5, 0, 9};
  for (const std::size_t number : numbers) {
    const auto made = devices.task(0, {}, 0, number);
    EXPECT_TRUE(made.choice.is_new);
    for (const std::uint32_t other : queues) EXPECT_NE(made.choice.queue, other);
    queues.push_back(made.choice.queue);
  }
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    const auto again = devices.task(0, {}, 0, numbers[i]);
    EXPECT_FALSE(again.choice.is_new);
    EXPECT_EQ(again.choice.queue, queues[i]);
  }
}

}  // namespace
}  // namespace heddle::graph
