// The DAGs, queues and waits of the paper's six benchmarks (grcuda, section 2.7 of the digest: figure 6 of the paper),
// and what each policy changes, as texts: tests/graph/golden. (Rows 3, 5 and 6 of the checklist.) A file lists what a
// program does, and behind a line "---" what comes of it; HEDDLE_UPDATE=1 writes that part.
//
//   task NAME a,b>c,d   reads a and b, overwrites c and d; "a<>" reads and modifies a
//   read a, write a     the host does; what it waits for is finished then
//   policy ...          same_as_parent, always_new, no_const
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/file.hpp"
#include "graph/queue_chooser.hpp"
#include "support/places.hpp"

namespace heddle::graph {
namespace {

namespace fs = std::filesystem;

class Player {
 public:
  std::string play(const std::string& program) {
    std::istringstream lines(program);
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line.front() == '#') continue;
      std::istringstream words(line);
      std::string verb, name, what;
      words >> verb >> name >> what;
      if (verb == "task")
        task(name, what);
      else if (verb == "policy")
        set_policy(name);
      else
        host(verb == "write", name);
    }
    trace_ << "queues " << chooser_->queues() << " waits " << waits_ << '\n';
    return trace_.str();
  }

 private:
  void set_policy(const std::string& name) {
    Scheduling policy;
    if (name == "same_as_parent") policy.child_queues = Scheduling::ChildQueues::same_as_parent;
    if (name == "always_new") policy.new_queues = Scheduling::NewQueues::always_new;
    if (name == "no_const") modes_ = false;
    chooser_.emplace(policy);
  }

  ObjectId object(const std::string& name) {
    const auto [found, is_new] = objects_.try_emplace(name, 0);
    if (is_new) found->second = dag_.add_object(64);
    return found->second;
  }

  // "a,b>c" or "a,b<>": the last of which is modified.
  std::vector<Access> accesses(const std::string& what) {
    std::vector<Access> all;
    const std::size_t arrow = what.find_first_of("<>");
    const bool in_place = what[arrow] == '<';
    const auto add = [&](const std::string& list, Mode mode) {
      std::istringstream names(list);
      for (std::string name; std::getline(names, name, ',');)
        all.push_back({object(name), modes_ ? mode : Mode::read_write, 0, 64});
    };
    add(what.substr(0, arrow), Mode::read);
    if (in_place) all.back().mode = Mode::read_write;
    if (!in_place) add(what.substr(arrow + 1), Mode::write);
    return all;
  }

  void task(const std::string& name, const std::string& what) {
    const TaskRef ref = dag_.append(accesses(what));
    const QueueChoice choice = chooser_->choose(dag_, ref);
    names_[ref.id] = name;
    trace_ << name << " @" << choice.queue;
    list(" <-", dag_[ref].parents);
    list(" waits for", choice.awaited);
    waits_ += choice.awaited.size();
    trace_ << '\n';
  }

  void host(bool writes, const std::string& name) {
    const TaskRefs awaited = dag_.hazards({object(name), writes ? Mode::write : Mode::read, 0, 64});
    trace_ << "host " << (writes ? "writes " : "reads ") << name;
    list(" waits for", awaited);
    if (!awaited.empty()) {
      trace_ << " in";
      for (const TaskRef& ref : awaited) trace_ << ' ' << dag_[ref].queue;
    }
    trace_ << '\n';
    for (const TaskRef& ref : awaited) dag_.finish(ref, [&](TaskRef, const Task& task) { chooser_->finished(task); });
  }

  void list(const char* before, const TaskRefs& refs) {
    if (refs.empty()) return;
    trace_ << before;
    for (const TaskRef& ref : refs) trace_ << ' ' << names_[ref.id];
  }

  Dag dag_;
  std::optional<QueueChooser> chooser_ = QueueChooser();
  std::map<std::string, ObjectId> objects_;
  std::map<TaskId, std::string> names_;
  std::ostringstream trace_;
  std::size_t waits_ = 0;
  bool modes_ = true;
};

std::vector<fs::path> files() {
  std::vector<fs::path> all;
  for (const auto& file : fs::directory_iterator(tests::test_data() / "graph/golden")) all.push_back(file.path());
  std::sort(all.begin(), all.end());
  return all;
}

class GoldenDag : public ::testing::TestWithParam<fs::path> {};

TEST_P(GoldenDag, IsAsWritten) {
  const std::string text = base::read_file(GetParam());
  const std::size_t line = text.find("---\n");
  ASSERT_NE(line, text.npos);
  const std::string program = text.substr(0, line), made = Player().play(program);
  if (std::getenv("HEDDLE_UPDATE") != nullptr)
    base::write_file_atomic(GetParam(), program + "---\n" + made);
  else
    EXPECT_EQ(text.substr(line + 4), made);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenDag, ::testing::ValuesIn(files()),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace heddle::graph
