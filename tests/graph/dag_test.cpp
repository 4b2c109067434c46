// The rules of dependence (the digest's table of section 2.2, rows A to C and what follows), byte ranges, reduction.
// (GrCUDA's checklist: rows 1, 2 and 4.)
#include "graph/dag.hpp"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "graph/queue_chooser.hpp"

namespace heddle::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DagRules : public ::testing::Test {
 protected:
  TaskRef reads(std::uint64_t begin = 0, std::uint64_t end = 100) { return add(Mode::read, begin, end); }
  TaskRef modifies(std::uint64_t begin = 0, std::uint64_t end = 100) { return add(Mode::read_write, begin, end); }
  TaskRef overwrites(std::uint64_t begin = 0, std::uint64_t end = 100) { return add(Mode::write, begin, end); }
  TaskRef add(Mode mode, std::uint64_t begin, std::uint64_t end) {
    const Access access{x, mode, begin, end};
    return dag.append({&access, 1});
  }
  std::vector<TaskRef> parents(TaskRef task) const { return {dag[task].parents.begin(), dag[task].parents.end()}; }

  Dag dag;
  ObjectId x = dag.add_object(100), y = dag.add_object(100);
};

TEST_F(DagRules, AReaderComesBehindTheWriter) {
  const TaskRef k1 = modifies(), k2 = reads();
  EXPECT_THAT(parents(k2), ElementsAre(k1));
}
TEST_F(DagRules, AWriterComesBehindTheReaderAlone) {
  modifies();
  const TaskRef k2 = reads(), k3 = modifies();
  EXPECT_THAT(parents(k3), ElementsAre(k2));
}
TEST_F(DagRules, ReadersDoNotWaitForEachOther) {
  const TaskRef k1 = modifies();
  reads();
  const TaskRef k3 = reads();
  EXPECT_THAT(parents(k3), ElementsAre(k1));
}
TEST_F(DagRules, MoreReadersStillFindTheWriter) {
  const TaskRef k1 = modifies();
  reads();
  reads();
  EXPECT_THAT(parents(reads()), ElementsAre(k1));
}
TEST_F(DagRules, AWriterComesBehindAllReaders) {
  modifies();
  const TaskRef k2 = reads(), k3 = reads(), k4 = overwrites();
  EXPECT_THAT(parents(k4), ElementsAre(k2, k3));
  EXPECT_THAT(parents(reads()), ElementsAre(k4));
}
TEST_F(DagRules, ReadersOfWhatNobodyWritesAreFree) {
  reads();
  EXPECT_THAT(parents(reads()), IsEmpty());
}

TEST_F(DagRules, FinishedTasksAreNobodysParents) {
  const TaskRef k1 = modifies(), k2 = reads();
  dag.finish(k2);  // and its ancestor
  EXPECT_TRUE(dag.finished(k1));
  EXPECT_EQ(dag.active(), 0u);
  EXPECT_THAT(parents(modifies()), IsEmpty());
}

TEST_F(DagRules, OneTaskMayNameTheSameBytesTwice) {
  const TaskRef k1 = modifies();
  const Access twice[] = {{x, Mode::read, 0, 60}, {x, Mode::write, 40, 100}};
  const TaskRef k2 = dag.append(twice);
  EXPECT_THAT(parents(k2), ElementsAre(k1));
  EXPECT_THAT(parents(reads(0, 40)), ElementsAre(k1));
  EXPECT_THAT(parents(reads(40, 60)), ElementsAre(k2));
  EXPECT_THAT(parents(reads(60, 100)), ElementsAre(k2));
}

TEST_F(DagRules, SomeComeBehindOthersWhateverTheyTouch) {
  const TaskRef k1 = modifies(0, 50), k2 = modifies(50, 100);
  const TaskRef others[] = {k1, k2};
  const Access access{y, Mode::read_write, 0, 100};
  const TaskRef barrier = dag.append({&access, 1}, others);
  EXPECT_THAT(parents(barrier), ElementsAre(k1, k2));
  const TaskRef k3 = modifies(0, 50);
  dag.order_after(k3, barrier);
  EXPECT_THAT(parents(k3), ElementsAre(k1, barrier));
  const TaskRef k4 = modifies(0, 100);  // behind k3, which is behind the barrier, which is behind k2
  dag.order_after(k4, barrier);
  EXPECT_THAT(parents(k4), ElementsAre(k3));
  dag.finish(barrier);
  const TaskRef k5 = reads();
  dag.order_after(k5, barrier);
  EXPECT_THAT(parents(k5), ElementsAre(k4));
}
TEST_F(DagRules, EdgesThatOthersImplyAreLeftOut) {
  const TaskRef a = modifies();
  const Access through[] = {{x, Mode::read, 0, 100}, {y, Mode::write, 0, 100}};
  const TaskRef b = dag.append(through);
  const Access both_of_them[] = {{x, Mode::read, 0, 100}, {y, Mode::read, 0, 100}};
  const TaskRef c = dag.append(both_of_them);
  EXPECT_THAT(parents(b), ElementsAre(a));
  EXPECT_THAT(parents(c), ElementsAre(b));
}

TEST_F(DagRules, ViewsDependWhereTheyOverlap) {
  const TaskRef low = modifies(0, 50), high = modifies(50, 100), middle = modifies(40, 60);
  EXPECT_THAT(parents(high), IsEmpty());
  EXPECT_THAT(parents(middle), ElementsAre(low, high));
  EXPECT_THAT(parents(reads(0, 40)), ElementsAre(low));
  EXPECT_THAT(parents(reads(45, 55)), ElementsAre(middle));
  EXPECT_THAT(parents(reads(30, 31)), ElementsAre(low));
  EXPECT_THAT(parents(reads(99, 100)), ElementsAre(high));
  EXPECT_THAT(parents(reads(50, 50)), IsEmpty());  // no bytes
}

TEST_F(DagRules, TheHostWaitsForWhatTouchesItsBytes) {
  const TaskRef writer = modifies(0, 50), reader = reads(50, 100);
  const auto hazards = [&](Mode mode, std::uint64_t begin, std::uint64_t end) {
    const TaskRefs found = dag.hazards({x, mode, begin, end});
    return std::vector<TaskRef>(found.begin(), found.end());
  };
  EXPECT_THAT(hazards(Mode::read, 0, 10), ElementsAre(writer));
  EXPECT_THAT(hazards(Mode::read, 50, 100), IsEmpty());  // arrays that are read stay readable
  EXPECT_THAT(hazards(Mode::write, 60, 61), ElementsAre(reader));
  EXPECT_THAT(hazards(Mode::write, 0, 100), ElementsAre(writer, reader));
}

TEST_F(DagRules, ObjectsThatEndAreForgotten) {
  const TaskRef writer = modifies();
  dag.remove_object(x);
  const ObjectId again = dag.add_object(8);
  EXPECT_EQ(again, x);
  EXPECT_THAT(parents(reads(0, 8)), IsEmpty());
  EXPECT_FALSE(dag.finished(writer));
}

TEST_F(DagRules, RangesGrowTogetherAgain) {
  for (std::uint64_t i = 0; i < 100; ++i) modifies(i, i + 1);
  EXPECT_EQ(dag.segments(x), 100u);
  const TaskRef all = modifies();
  EXPECT_EQ(dag[all].parents.size(), 100u);
  EXPECT_EQ(dag.segments(x), 1u);
}

TEST_F(DagRules, LongListsOfReadersAreShortened) {
  for (int i = 0; i < 1000; ++i) {
    const TaskRef reader = reads();
    dag[reader].queue = static_cast<std::uint32_t>(i) % 2;
  }
  const TaskRef writer = modifies();
  EXPECT_LE(dag[writer].parents.size(), 16u);
  std::set<std::uint32_t> queues;
  for (const TaskRef& parent : dag[writer].parents) queues.insert(dag[parent].queue);
  EXPECT_EQ(queues.size(), 2u);
}

// Against the definition: two tasks depend on each other where one modifies bytes that both touch; the DAG's paths must
// say the same, and its edges must all be needed.
TEST(DagAgainstTheDefinition, RandomTasks) {
  std::mt19937 generator(5);
  for (int round = 0; round < 300; ++round) {
    constexpr std::uint64_t bytes = 12;
    constexpr std::size_t tasks = 24;
    Dag dag;
    const ObjectId objects[] = {dag.add_object(bytes), dag.add_object(bytes), dag.add_object(bytes)};
    std::vector<std::vector<Access>> all;
    std::vector<TaskRef> refs;
    std::vector<std::set<std::size_t>> ancestors;
    for (std::size_t i = 0; i < tasks; ++i) {
      std::vector<Access> accesses(1 + generator() % 3);
      for (Access& access : accesses) {
        const std::uint64_t begin = generator() % bytes, end = begin + 1 + generator() % (bytes - begin);
        access = {objects[generator() % 3], static_cast<Mode>(generator() % 3), begin, end};
      }
      refs.push_back(dag.append(accesses));
      all.push_back(accesses);
      std::set<std::size_t> must, may;
      const auto conflict = [](const Access& a, const Access& b) {
        return a.object == b.object && a.begin < b.end && b.begin < a.end && (modifies(a.mode) || modifies(b.mode));
      };
      for (std::size_t k = 0; k < i; ++k) {
        const bool related = std::any_of(all[i].begin(), all[i].end(), [&](const Access& a) {
          return std::any_of(all[k].begin(), all[k].end(), [&](const Access& b) { return conflict(a, b); });
        });
        if (!related) continue;
        must.insert(k);
        must.insert(ancestors[k].begin(), ancestors[k].end());
      }
      std::vector<std::size_t> direct;
      for (const TaskRef& parent : dag[refs[i]].parents) {
        const auto k = static_cast<std::size_t>(std::find(refs.begin(), refs.end(), parent) - refs.begin());
        direct.push_back(k);
        may.insert(k);
        may.insert(ancestors[k].begin(), ancestors[k].end());
      }
      ASSERT_EQ(may, must) << "round " << round << " task " << i;
      for (const std::size_t a : direct)
        for (const std::size_t b : direct) ASSERT_EQ(ancestors[b].count(a), 0u) << "round " << round << " task " << i;
      ancestors.push_back(must);
    }
  }
}

TEST(Queues, AreFewWhereTheHostWaits) {
  Dag dag;
  QueueChooser chooser;
  std::vector<TaskRef> under_way;
  const ObjectId x = dag.add_object(8000);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Access access{x, Mode::write, i * 8, i * 8 + 8};
    under_way.push_back(dag.append({&access, 1}));
    EXPECT_TRUE(chooser.choose(dag, under_way.back()).awaited.empty());
    if (under_way.size() < 10) continue;
    for (const TaskRef& ref : under_way) dag.finish(ref, [&](TaskRef, const Task& t) { chooser.finished(t); });
    under_way.clear();
  }
  EXPECT_EQ(chooser.queues(), 10u);
}

TEST(Queues, NoMoreThanThePolicySays) {
  Dag dag;
  QueueChooser chooser({.most_queues = 4});
  const ObjectId x = dag.add_object(800);
  std::set<std::uint32_t> used;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Access access{x, Mode::write, i * 8, i * 8 + 8};
    used.insert(chooser.choose(dag, dag.append({&access, 1})).queue);
  }
  EXPECT_EQ(used.size(), 4u);
}

}  // namespace
}  // namespace heddle::graph
