// The processes of script/differential: one that dies costs one seed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.hpp"
#include "random/differential/report.hpp"
#include "random/differential/supervisor.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::test::random_kernel {
namespace {

using testing::HasSubstr;
using testing::Not;

// A plan whose processes are the shell running `body` for each $seed; `say` is echo.
Plan plan(std::uint64_t begin, std::uint64_t end, const std::string& body) {
  Plan result;
  result.begin = begin;
  result.end = end;
  result.range = 10;
  result.jobs = 3;
  result.command = [body](std::uint64_t from, std::uint64_t to) {
    return std::vector<std::string>{"/bin/sh", "-c",
                                    "seed=" + std::to_string(from) + "; while [ $seed -lt " + std::to_string(to) +
                                        " ]; do " + body + "; seed=$((seed + 1)); done"};
  };
  return result;
}
const std::string equal = "echo begin $seed cpu; echo end $seed cpu 0 ";

TEST(Supervisor, EachSeedOnce) {
  const Tally tally = run_all(plan(5, 38, equal));
  EXPECT_EQ(tally.broken, "");
  EXPECT_EQ(tally.seeds_done, 33u);
  EXPECT_EQ(tally.devices.at("cpu").count(Verdict::equal), 33u);
  EXPECT_EQ(tally.devices.at("cpu").kernels(), 33u);
  EXPECT_TRUE(agrees(tally));
}

TEST(Supervisor, ADifferenceKeepsItsText) {
  const Tally tally = run_all(plan(0, 30,
                                   "echo begin $seed cpu; if [ $seed = 17 ]; then printf '%s\\n' 'end 17 cpu 1 out: "
                                   "a\\nb \\\\ c'; else echo end $seed cpu 0; fi"));
  const DeviceTally& cpu = tally.devices.at("cpu");
  ASSERT_EQ(cpu.remarkable.size(), 1u);
  EXPECT_EQ(cpu.remarkable[0].seed, 17u);
  EXPECT_EQ(cpu.remarkable[0].comparison.verdict, Verdict::different);
  EXPECT_EQ(cpu.remarkable[0].comparison.text, "out: a\nb \\ c");
  EXPECT_EQ(cpu.count(Verdict::equal), 29u);
  EXPECT_FALSE(agrees(tally));
}

TEST(Supervisor, AProcessThatDiesCostsOneSeed) {
  const Tally tally =
      run_all(plan(0, 40,
                   "echo begin $seed cpu; echo end $seed cpu 0; echo begin $seed cuda:0; echo stage the "
                   "driver compiles it; case $seed in 3|4|25) kill -SEGV $$;; esac; echo end $seed cuda:0 0"));
  EXPECT_EQ(tally.seeds_done, 40u);
  EXPECT_EQ(tally.devices.at("cpu").count(Verdict::equal), 40u);
  const DeviceTally& gpu = tally.devices.at("cuda:0");
  EXPECT_EQ(gpu.count(Verdict::equal), 37u);
  ASSERT_EQ(gpu.count(Verdict::crashed), 3u);
  EXPECT_EQ(gpu.remarkable[0].seed, 3u);
  EXPECT_EQ(gpu.remarkable[1].seed, 4u);
  EXPECT_EQ(gpu.remarkable[2].seed, 25u);
  EXPECT_EQ(gpu.remarkable[0].comparison.text, "signal 11 while the driver compiles it");
  EXPECT_TRUE(agrees(tally)) << "the driver's compiler is not ours";
}

TEST(Supervisor, AProcessThatHangsIsEnded) {
  Plan slow = plan(0, 20, "echo begin $seed cpu; if [ $seed = 7 ]; then exec sleep 60; fi; echo end $seed cpu 0");
  slow.patience = std::chrono::seconds(1);
  const Tally tally = run_all(slow);
  const DeviceTally& cpu = tally.devices.at("cpu");
  EXPECT_EQ(cpu.count(Verdict::equal), 19u);
  ASSERT_EQ(cpu.count(Verdict::endless), 1u);
  EXPECT_EQ(cpu.remarkable[0].seed, 7u);
  EXPECT_LT(tally.seconds, 30);
  EXPECT_FALSE(agrees(tally));
}

// As one does whose GPU is lost.
TEST(Supervisor, AProcessMayEndEarly) {
  const Tally tally = run_all(plan(0, 30,
                                   "echo begin $seed cuda:0; if [ $((seed % 7)) = 3 ]; then echo end $seed cuda:0 2 "
                                   "lost; exit 0; fi; echo end $seed cuda:0 0"));
  EXPECT_EQ(tally.devices.at("cuda:0").kernels(), 30u);
  EXPECT_EQ(tally.devices.at("cuda:0").count(Verdict::failed), 4u);
}

TEST(Supervisor, ProcessesThatCannotWorkAreNoEndlessLoop) {
  EXPECT_THAT(run_all(plan(0, 1000, "exit 3")).broken, HasSubstr("before they begin"));
  Plan absent = plan(0, 10, "");
  absent.command = [](std::uint64_t, std::uint64_t) { return std::vector<std::string>{"/nonexistent/program"}; };
  const Tally tally = run_all(absent);
  EXPECT_NE(tally.broken, "");
  EXPECT_FALSE(agrees(tally));
}

TEST(Supervisor, TextsSurviveTheLine) {
  for (const std::string text : {"", "a", "a\nb", "\\", "\\n", "\n\n", "a\\\nb", "end\\"})
    EXPECT_EQ(unescaped(escaped(text)), text);
  EXPECT_THAT(escaped("a\nb"), Not(HasSubstr("\n")));
}

TEST(DifferentialReport, NamesSeedsAndCounts) {
  Tally tally;
  tally.seconds = 3;
  DeviceTally& cpu = tally.devices["cpu"];
  cpu.counts[static_cast<int>(Verdict::equal)] = 98;
  cpu.counts[static_cast<int>(Verdict::different)] = 1;
  cpu.counts[static_cast<int>(Verdict::refused)] = 1;
  cpu.remarkable = {{40, {Verdict::different, "out: [3] is 1\nand more"}}, {77, {Verdict::refused, "no such thing"}}};
  const RunInfo info{0, 100, false, true, {{"cpu", "a processor"}}, "abc"};
  const std::string text = report_text(tally, info);
  EXPECT_THAT(text, HasSubstr("seeds 0 to 99"));
  EXPECT_THAT(text, HasSubstr("cpu, different:\n  40 out: [3] is 1\n"));
  EXPECT_THAT(text, HasSubstr("cpu, refused:\n  77 no such thing\n"));
  const auto json = nlohmann::json::parse(report_json(tally, info));
  EXPECT_EQ(json["devices"]["cpu"]["equal"], 98);
  EXPECT_EQ(json["devices"]["cpu"]["name"], "a processor");
  EXPECT_EQ(json["devices"]["cpu"]["seeds"][0]["text"], "out: [3] is 1\nand more");
  EXPECT_EQ(json["agrees"], false);
  EXPECT_EQ(json["commit"], "abc");
}

struct Ran {
  int code = -1;
  std::string output;
};

Ran differential(const std::string& arguments) {
  const std::filesystem::path bundled = tests::bundled_tests();
  const std::string program = bundled.empty() ? HEDDLE_DIFFERENTIAL : (bundled / "bin/heddle_differential").string();
  Ran ran;
  FILE* pipe = ::popen(("'" + program + "' " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.output.append(buffer, got);
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

TEST(DifferentialProgram, RealKernelsAreEqual) {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "out.json").string();
  const Ran ran = differential("--seeds 300:320 --no-gpu --range 7 --jobs 2 --json " + file);
  EXPECT_EQ(ran.code, 0) << ran.output;
  const auto json = nlohmann::json::parse(base::read_file(file));
  EXPECT_EQ(json["devices"]["cpu"]["equal"], 20);
  EXPECT_EQ(json["devices"]["interp"]["equal"], 20);
  EXPECT_EQ(json["agrees"], true);
}

TEST(DifferentialProgram, UsageThatMakesNoSense) {
  for (const char* arguments : {"--seeds 5", "--seeds 9:3", "--seeds a:b", "--range 0", "x", "--gpu --no-gpu"})
    EXPECT_EQ(differential(arguments).code, 2) << arguments;
}

}  // namespace
}  // namespace heddle::test::random_kernel
