// What a runtime records of itself, and where it writes that. Row 14 of the checklist in docs/testing.md: histories.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.hpp"
#include "heddle/heddle.hpp"
#include "support/temporary_folder.hpp"
#include "trace/measures.hpp"
#include "trace/timeline.hpp"

namespace heddle::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* ptx = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry copy_first(.param .u64 from, .param .u64 to) {
  .reg .b64 %rd<3>; .reg .f32 %f<2>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  ld.global.f32 %f1, [%rd1];
  st.global.f32 [%rd2], %f1;
  ret;
}
)";

// Of another run.
constexpr const char* old_timeline =
    "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"old\"}}\n]\n";

class TraceTest : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  static std::string message_of(const std::function<void()>& f, ErrorCode code) {
    try {
      f();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "no error";
  }
  TemporaryFolder folder_;
};

TEST_F(TraceTest, TasksHaveParentsWaitsAndArrays) {
  Runtime runtime({.devices = "cpu", .trace = file("t.json")});
  const Module module = runtime.load_ptx(ptx);
  const Kernel kernel = module.kernel("copy_first");
  auto a = runtime.array<float>(4), b = runtime.array<float>(4), c = runtime.array<float>(4),
       d = runtime.array<float>(4);
  for (auto* array : {&a, &b, &c, &d}) array->write()[0] = 1;
  const LaunchOptions shape{.grid = {2}, .block = {32}, .shared = 64};
  runtime.launch(kernel, shape, a, b);
  runtime.launch(kernel, shape, a, c);
  runtime.launch(kernel, shape, b, c);  // behind both
  runtime.synchronize();
  runtime.launch(kernel, shape, c, d);  // the host has waited for the third
  runtime.synchronize();
  runtime.write_trace();
  const trace::Timeline timeline = trace::read_timeline(file("t.json"));
  ASSERT_EQ(timeline.commands.size(), 4u);
  std::map<std::uint64_t, const trace::Command*> tasks;
  for (const trace::Command& command : timeline.commands) tasks[command.task] = &command;
  ASSERT_EQ(tasks.size(), 4u);
  EXPECT_THAT(tasks[1]->behind, IsEmpty());
  EXPECT_THAT(tasks[2]->behind, IsEmpty());
  EXPECT_NE(tasks[1]->row, tasks[2]->row);
  EXPECT_THAT(tasks[3]->behind, ElementsAre(1, 2));
  EXPECT_THAT(tasks[3]->waits, ElementsAre(2));
  EXPECT_EQ(tasks[3]->row, tasks[1]->row);
  EXPECT_THAT(tasks[4]->behind, IsEmpty());
  EXPECT_THAT(tasks[4]->depends, ElementsAre(3));
  EXPECT_THAT(trace::arrays_between(*tasks[1], *tasks[3]), ElementsAre("array 2"));
  EXPECT_THAT(trace::arrays_between(*tasks[2], *tasks[3]), ElementsAre("array 3"));
  EXPECT_EQ(tasks[1]->grid, "2 x 1 x 1");
  EXPECT_EQ(tasks[1]->block, "32 x 1 x 1");
  EXPECT_EQ(tasks[1]->shared, 64u);
  EXPECT_EQ(timeline.rows[tasks[1]->row].device, "cpu");
  EXPECT_EQ(timeline.rows[tasks[1]->row].device_name, runtime.devices()[0].name);
}

// An arrow goes from one dependence's parent, in its row and within its time, to the child's begin.
TEST_F(TraceTest, DependencesAreArrows) {
  Runtime runtime({.devices = "cpu", .trace = file("t.json")});
  const Module module = runtime.load_ptx(ptx);
  auto a = runtime.array<float>(4), b = runtime.array<float>(4);
  a.write()[0] = b.write()[0] = 1;
  runtime.launch(module.kernel("copy_first"), {.grid = {1}, .block = {32}}, a, b);
  runtime.launch(module.kernel("copy_first"), {.grid = {1}, .block = {32}}, b, a);
  runtime.synchronize();
  runtime.write_trace();
  std::map<std::uint64_t, nlohmann::json> tasks, begins, ends;
  for (const auto& event : nlohmann::json::parse(base::read_file(file("t.json")))) {
    if (event["ph"] == "X") tasks[event["args"]["task"].get<std::uint64_t>()] = event;
    if (event["ph"] == "s") begins[event["id"].get<std::uint64_t>()] = event;
    if (event["ph"] == "f") ends[event["id"].get<std::uint64_t>()] = event;
  }
  ASSERT_EQ(tasks.size(), 2u);
  ASSERT_EQ(begins.size(), 1u);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(begins[1]["tid"], tasks[1]["tid"]);
  EXPECT_GE(begins[1]["ts"].get<double>(), tasks[1]["ts"].get<double>());
  EXPECT_LT(begins[1]["ts"].get<double>(), tasks[1]["ts"].get<double>() + tasks[1]["dur"].get<double>());
  EXPECT_EQ(ends[1]["tid"], tasks[2]["tid"]);
  EXPECT_EQ(ends[1]["ts"], tasks[2]["ts"]);
  EXPECT_EQ(ends[1]["bp"], "e");
}

// A launch of no blocks runs nothing: what comes behind it comes behind its parents.
TEST_F(TraceTest, TasksWithoutCommandsAreLeftOut) {
  Runtime runtime({.devices = "cpu", .trace = file("t.json")});
  const Module module = runtime.load_ptx(ptx);
  auto a = runtime.array<float>(4), b = runtime.array<float>(4);
  a.write()[0] = b.write()[0] = 1;
  const LaunchOptions shape{.grid = {1}, .block = {32}};
  LaunchOptions nothing = shape;
  nothing.blocks = BlockRange{0, 0};
  runtime.launch(module.kernel("copy_first"), shape, a, b);
  runtime.launch(module.kernel("copy_first"), nothing, b, a);
  runtime.launch(module.kernel("copy_first"), shape, a, b);
  runtime.synchronize();
  runtime.write_trace();
  const trace::Timeline timeline = trace::read_timeline(file("t.json"));
  ASSERT_EQ(timeline.commands.size(), 2u);
  EXPECT_THAT(timeline.commands[1].behind, ElementsAre(1));
}

TEST_F(TraceTest, QueuesOfTheExplicitLevelHaveTheirOwnOrderAndEvents) {
  Runtime runtime({.devices = "cpu", .trace = file("t.json")});
  const Device device = runtime.device();
  const Memory memory = device.allocate(1 << 16);
  std::vector<std::byte> host(1 << 16);
  const Memory pinned = device.allocate_host(host.size());
  const Queue one = device.queue(), two = device.queue();
  const Event event = device.event();
  one.fill(memory.span(), 0, 1);
  one.copy(pinned.span(), memory.span());
  one.record(event);
  two.wait(event);
  two.copy(memory.span(), pinned.span());
  two.synchronize();
  runtime.write_trace();
  const trace::Timeline timeline = trace::read_timeline(file("t.json"));
  ASSERT_EQ(timeline.commands.size(), 3u);
  const auto& [fill, out, in] = std::tie(timeline.commands[0], timeline.commands[1], timeline.commands[2]);
  EXPECT_THAT(fill.behind, IsEmpty());
  EXPECT_THAT(out.behind, ElementsAre(fill.task));
  EXPECT_THAT(in.behind, ElementsAre(out.task));
  EXPECT_THAT(in.waits, ElementsAre(out.task));
  EXPECT_TRUE(in.by_streams);
  EXPECT_EQ(out.way, base::TraceEvent::Way::to_host);
  EXPECT_EQ(in.way, base::TraceEvent::Way::to_device);
  EXPECT_EQ(in.bytes, 1u << 16);
  EXPECT_NE(in.row, out.row);
}

TEST_F(TraceTest, GoesToOtherFilesAtAnyTime) {
  std::optional<Runtime> made(std::in_place, RuntimeOptions{.devices = "cpu", .trace = file("own.svg")});
  Runtime& runtime = *made;
  const Module module = runtime.load_ptx(ptx);
  auto a = runtime.array<float>(4), b = runtime.array<float>(4);
  a.write()[0] = b.write()[0] = 1;
  const auto once = [&] {
    runtime.launch(module.kernel("copy_first"), {.grid = {1}, .block = {32}}, a, b);
    runtime.synchronize();
  };
  once();
  runtime.trace(file("a.json"));
  runtime.trace(file("a.svg"));
  runtime.trace(file("a.dot"));
  once();
  runtime.trace(file("b.json"));
  EXPECT_EQ(trace::read_timeline(file("a.json")).commands.size(), 1u);
  EXPECT_EQ(trace::read_timeline(file("b.json")).commands.size(), 2u);
  EXPECT_THAT(base::read_file(file("a.svg")), HasSubstr("</svg>"));
  EXPECT_THAT(base::read_file(file("a.dot")), HasSubstr("copy_first"));
  made.reset();  // though the arrays are there
  EXPECT_THAT(base::read_file(file("own.svg")), HasSubstr("2 kernels"));
}

TEST_F(TraceTest, ErrorsAreSentences) {
  Runtime untraced({.devices = "cpu"});
  EXPECT_THAT(message_of([&] { untraced.trace(file("a.json")); }, ErrorCode::invalid_argument),
              HasSubstr("set RuntimeOptions::trace to a file"));
  Runtime runtime({.devices = "cpu", .trace = file("t.json")});
  EXPECT_THAT(message_of([&] { runtime.trace(file("a.png")); }, ErrorCode::invalid_argument),
              HasSubstr(".svg (a picture)"));
  EXPECT_THAT(message_of([&] { runtime.trace(file("none/a.svg")); }, ErrorCode::io_error),
              HasSubstr("there is no folder"));
  EXPECT_THAT(message_of([&] { Runtime({.devices = "cpu", .trace = file("none/t.json")}); }, ErrorCode::io_error),
              HasSubstr("cannot be written: No such file"));
  EXPECT_THAT(message_of([&] { Runtime({.devices = "cpu", .trace = "/dev/full"}); }, ErrorCode::io_error),
              HasSubstr("cannot be written: "));
}

// Nothing is lost to a record that could not be written, and nothing is left behind one that was.
TEST_F(TraceTest, TheOldFileStaysUntilTheNewOneIsWhole) {
  base::write_file_atomic(file("t.json"), std::string_view(old_timeline));
  const std::filesystem::path kept = file("t.json.heddle-old");
  struct rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  for (const bool fits : {false, true}) {
    {
      Runtime runtime({.devices = "cpu", .trace = file("t.json")});
      EXPECT_EQ(base::read_file(kept), old_timeline);
      const struct rlimit none{16, before.rlim_max};
      const Module module = runtime.load_ptx(ptx);
      auto a = runtime.array<float>(4), b = runtime.array<float>(4);
      a.write()[0] = b.write()[0] = 1;
      const auto launch = [&] {
        runtime.launch(module.kernel("copy_first"), {.grid = {1}, .block = {32}}, a, b).wait();
      };
      launch();
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, fits ? &before : &none), 0);
      launch();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(base::read_file(file("t.json")) == old_timeline, !fits);
    EXPECT_FALSE(std::filesystem::exists(kept));
  }
}

TEST_F(TraceTest, ASourceIsNotReplaced) {
  base::write_file_atomic(file("vec.cu"), std::string_view("__global__ void k() {}"));
  EXPECT_THROW(Runtime({.devices = "cpu", .trace = file("vec.cu")}), Error);
  EXPECT_EQ(base::read_file(file("vec.cu")), "__global__ void k() {}");
}

// What is no timeline of Heddle's, but somebody's notes.
TEST_F(TraceTest, NothingButATimelineIsReplaced) {
  for (const char* name : {"notes.txt", "notes.json", "notes.svg"}) {
    base::write_file_atomic(file(name), std::string_view("my notes"));
    EXPECT_THAT(message_of([&] { Runtime({.devices = "cpu", .trace = file(name)}); }, ErrorCode::invalid_argument),
                HasSubstr("no timeline that Heddle has written"));
    Runtime runtime({.devices = "cpu", .trace = file("t.json")});
    if (std::filesystem::path(name).extension() != ".txt") {
      EXPECT_THAT(message_of([&] { runtime.trace(file(name)); }, ErrorCode::invalid_argument),
                  HasSubstr("no timeline that Heddle has written"));
    }
    EXPECT_EQ(base::read_file(file(name)), "my notes");
  }
  // Each form that Heddle writes takes the place of each.
  for (int round = 0; round < 2; ++round) {
    for (const char* name : {"a.json", "a.svg", "a.dot"}) {
      Runtime runtime({.devices = "cpu", .trace = file(name)});
      const Module module = runtime.load_ptx(ptx);
      auto a = runtime.array<float>(4), b = runtime.array<float>(4);
      runtime.launch(module.kernel("copy_first"), {.grid = {1}, .block = {32}}, a, b).wait();
      for (const char* other : {"b.json", "b.svg", "b.dot"}) runtime.trace(file(other));
    }
  }
}

// A record is lost only to another record.
TEST_F(TraceTest, ARuntimeThatCannotBeMadeLeavesTheOldFile) {
  for (const char* name : {"t.json", "t.svg"}) {
    RuntimeOptions no_device{.devices = "cuda:99", .trace = file(name)};
    RuntimeOptions no_policy{.devices = "cpu", .trace = file(name)};
    no_policy.policy = "none such";
    for (const RuntimeOptions& wrong : {no_device, no_policy}) {
      EXPECT_THROW(Runtime{wrong}, Error);
      EXPECT_FALSE(std::filesystem::exists(file(name))) << name;
      base::write_file_atomic(file(name), std::string_view(old_timeline));
      EXPECT_THROW(Runtime{wrong}, Error);
      EXPECT_EQ(base::read_file(file(name)), old_timeline) << name;
      std::filesystem::remove(file(name));
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(file("t.json")).parent_path()));
}

// A picture is made at the end.
TEST_F(TraceTest, TheOldPictureStaysUntilThereIsANewOne) {
  base::write_file_atomic(file("t.svg"), std::string_view(old_timeline));
  {
    const Runtime runtime({.devices = "cpu", .trace = file("t.svg")});
    EXPECT_EQ(base::read_file(file("t.svg")), old_timeline);
  }
  EXPECT_THAT(base::read_file(file("t.svg")), HasSubstr("<svg"));
}

// As on a full disk: the file may not grow.
TEST_F(TraceTest, AFullDiskIsTold) {
  Runtime runtime({.devices = "cpu", .trace = file("t.json")});
  const Module module = runtime.load_ptx(ptx);
  auto a = runtime.array<float>(4), b = runtime.array<float>(4);
  a.write()[0] = b.write()[0] = 1;
  runtime.launch(module.kernel("copy_first"), {.grid = {1}, .block = {32}}, a, b);
  runtime.synchronize();
  struct rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  const struct rlimit none{16, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  const std::string message = message_of([&] { runtime.write_trace(); }, ErrorCode::io_error);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(message, HasSubstr("cannot be written: File too large"));
  runtime.write_trace();  // there is room again, and nothing is lost
  EXPECT_EQ(trace::read_timeline(file("t.json")).commands.size(), 1u);
}

// A kernel's own history and that of the trace tell the same.
TEST_F(TraceTest, HistoriesAreThoseOfTheTrace) {
  Runtime runtime({.devices = "cpu", .trace = file("t.json")});
  const Module module = runtime.load_ptx(ptx);
  const Kernel kernel = module.kernel("copy_first");
  auto a = runtime.array<float>(4), b = runtime.array<float>(4);
  a.write()[0] = b.write()[0] = 1;
  for (unsigned i = 1; i <= 3; ++i) runtime.launch(kernel, {.grid = {i}, .block = {32 * i}, .shared = 16 * i}, a, b);
  runtime.synchronize();
  runtime.write_trace();
  const KernelHistory history = kernel.history();
  EXPECT_EQ(history.launches, 3u);
  EXPECT_EQ(history.timed, 3u);
  EXPECT_EQ(history.last_grid.x, 3u);
  EXPECT_EQ(history.last_block.x, 96u);
  EXPECT_EQ(history.last_shared, 48u);
  EXPECT_GT(history.mean_seconds, 0);
  const trace::Measures measures = trace::measure(trace::read_timeline(file("t.json")));
  ASSERT_EQ(measures.by_kernel.size(), 1u);
  const trace::KernelFigures& figures = measures.by_kernel[0];
  EXPECT_EQ(figures.name, "copy_first");
  EXPECT_EQ(figures.launches, history.launches);
  EXPECT_EQ(figures.last_grid, "3 x 1 x 1");
  EXPECT_EQ(figures.last_block, "96 x 1 x 1");
  EXPECT_EQ(figures.last_shared, history.last_shared);
  // Events lie around the kernel.
  EXPECT_GT(figures.mean_seconds, 0);
  EXPECT_LE(figures.mean_seconds, history.mean_seconds);
  EXPECT_LE(figures.last_seconds, history.last_seconds);
}

}  // namespace
}  // namespace heddle::tests
