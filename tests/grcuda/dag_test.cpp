// Rows 3 and 15 of the checklist in docs/testing.md on real executions: the traces of the six benchmarks have the DAGs,
// queues and waits of tests/graph/golden, and in serial executions nothing overlaps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/file.hpp"
#include "support.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"
#include "trace/dot.hpp"
#include "trace/measures.hpp"
#include "trace/timeline.hpp"

namespace heddle::bench::grcuda {
namespace {

// A launch: its queue, by the order in which they are first used, and launches by their number.
struct Vertex {
  std::size_t queue = 0;
  std::vector<std::size_t> behind, waits;
  friend bool operator==(const Vertex&, const Vertex&) = default;
  friend void PrintTo(const Vertex& vertex, std::ostream* out) {
    *out << '@' << vertex.queue << " behind" << testing::PrintToString(vertex.behind) << " waits"
         << testing::PrintToString(vertex.waits);
  }
};

// Numbers things in the order in which they come.
template <class T>
std::size_t number(std::map<T, std::size_t>& numbers, const T& thing) {
  return numbers.emplace(thing, numbers.size()).first->second;
}

// "div_a @0 <- spmv_h sum_a waits for spmv_h", and lines of the host, of which there are no vertices.
std::vector<Vertex> golden(const std::string& name) {
  const std::string text = base::read_file(tests::test_data() / "graph/golden" / (name + ".txt"));
  std::istringstream lines(text.substr(text.find("---\n") + 4));
  std::vector<Vertex> all;
  std::map<std::string, std::size_t> names, queues;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string task, queue;
    words >> task >> queue;
    if (queue.empty() || queue[0] != '@') continue;
    Vertex made{number(queues, queue), {}, {}};
    bool waits = false;
    for (std::string word; words >> word;) {
      if (word == "waits") waits = true;
      if (word == "<-" || word == "waits" || word == "for") continue;
      (waits ? made.waits : made.behind).push_back(names.at(word));
    }
    std::sort(made.behind.begin(), made.behind.end());
    names[task] = all.size();
    all.push_back(made);
  }
  return all;
}

struct Traced {
  trace::Timeline timeline;  // of the second execution: the first one fills arrays
  std::vector<const trace::Command*> tasks;
};

Traced traced(const Named& named, const Scheduling& scheduling = {}) {
  const tests::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "t.json";
  const auto benchmark = named.make(place, tiny);
  Runtime runtime({.devices = "cpu", .scheduling = scheduling, .trace = file});
  const auto program = benchmark->on_heddle(runtime);
  std::uint64_t before = 0;
  Traced made;
  for (const unsigned round : {1u, 0u}) {
    program->touch(round);
    runtime.synchronize();
    runtime.write_trace();
    for (const trace::Command& command : trace::read_timeline(file).commands) before = std::max(before, command.task);
    program->run(small_shape);
    runtime.synchronize();
  }
  EXPECT_EQ(benchmark->difference(program->outputs()), "");
  runtime.write_trace();
  made.timeline = trace::read_timeline(file);
  std::erase_if(made.timeline.commands, [&](const trace::Command& command) { return command.task <= before; });
  for (const trace::Command& command : made.timeline.commands) made.tasks.push_back(&command);
  std::sort(made.tasks.begin(), made.tasks.end(), [](const auto* a, const auto* b) { return a->task < b->task; });
  return made;
}

std::string file_of(const Named& named) {
  std::string name = plain(named.name);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

class TracedProgram : public testing::TestWithParam<Named> {};

TEST_P(TracedProgram, HasTheGoldenDag) {
  const std::vector<Vertex> expected = golden(file_of(GetParam()));
  ASSERT_FALSE(expected.empty());
  const Traced found = traced(GetParam());
  ASSERT_GE(found.tasks.size(), expected.size());
  std::map<std::size_t, std::size_t> queues;
  std::map<std::uint64_t, std::size_t> numbers;
  std::vector<Vertex> vertices;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const trace::Command& task = *found.tasks[i];
    EXPECT_TRUE(task.is_kernel());
    Vertex made{number(queues, task.row), {}, {}};
    for (const std::uint64_t parent : task.behind) made.behind.push_back(numbers.at(parent));
    for (const std::uint64_t parent : task.waits) made.waits.push_back(numbers.at(parent));
    numbers[task.task] = i;
    vertices.push_back(made);
  }
  EXPECT_EQ(vertices, expected);
}

TEST_P(TracedProgram, IsAGraphForGraphviz) {
  const Traced found = traced(GetParam());
  const std::string text = trace::dot(found.timeline);
  std::size_t vertices = 0, edges = 0, expected = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool edge = line.find(" -> ") != line.npos;
    edges += edge;
    vertices += !edge && line.find("shape=") != line.npos;
    EXPECT_TRUE(!edge || line.find("label=\"array ") != line.npos) << line;
  }
  for (const trace::Command* task : found.tasks)
    expected +=
        static_cast<std::size_t>(std::count_if(task->depends.begin(), task->depends.end(), [&](std::uint64_t parent) {
          return parent >= found.tasks.front()->task;
        }));
  EXPECT_EQ(vertices, found.tasks.size());
  EXPECT_EQ(edges, expected);
  for (const trace::Command* task : found.tasks) EXPECT_NE(text.find('"' + task->name + '"'), text.npos);
}

TEST_P(TracedProgram, OverlapsNothingWhereItIsSerial) {
  const trace::Measures found = trace::measure(traced(GetParam(), sync()).timeline);
  EXPECT_GT(found.kernels, 0u);
  EXPECT_EQ(found.overlap.ct, 0);
  EXPECT_EQ(found.overlap.tc, 0);
  EXPECT_EQ(found.overlap.cc, 0);
  EXPECT_EQ(found.overlap.tot, 0);
}

// Both traces are of the same commands. The path goes through a part of them.
TEST_P(TracedProgram, HasABoundWithTheTimesOfASerialExecution) {
  const trace::Timeline serial = traced(GetParam(), sync()).timeline;
  const trace::Measures found = trace::measure(traced(GetParam()).timeline, &serial);
  ASSERT_TRUE(found.path_seconds.has_value());
  const double sum = trace::measure(serial).overlap.kernel_seconds;
  double longest = 0;
  for (const trace::Command& command : serial.commands)
    longest = std::max(longest, static_cast<double>(command.end_ns - command.begin_ns) * 1e-9);
  EXPECT_GE(found.path_seconds.value(), longest * (1 - 1e-9));
  EXPECT_LT(found.path_seconds.value(), sum);  // each of the six has branches
}

INSTANTIATE_TEST_SUITE_P(All, TracedProgram, testing::ValuesIn(all_benchmarks),
                         [](const auto& info) { return plain(info.param.name); });

}  // namespace
}  // namespace heddle::bench::grcuda
