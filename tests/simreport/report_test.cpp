// Texts and pages of reports, from a report that is written by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heddle/error.hpp"
#include "simreport/figures.hpp"
#include "simreport/page.hpp"

namespace heddle::simreport {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string report(const std::string& id, double cycles, bool with_source = true) {
  const json sm = {{"cycles", 2 * cycles},
                   {"slots", 2 * cycles},
                   {"warp_instructions", 12},
                   {"thread_instructions", 300},
                   {"issue_slots", 12},
                   {"resident_warp_cycles", 900},
                   {"blocks", 2},
                   {"uses", {12, cycles - 12, cycles}},
                   {"lanes", {cycles, cycles - 12, 0, 12}},
                   {"pipe_cycles", {10, 0}},
                   {"pipe_counts", {2, 2}}};
  const json cache = {{"hits", 3}, {"misses", 1}, {"pending_hits", 0}};
  const json machine = {
      {"kind", "machine"},
      {"format", 1},
      {"id", id},
      {"name", "m"},
      {"title", "A <machine>"},
      {"sms", 2},
      {"sm_mhz", 1000},
      {"schedulers", 1},
      {"warps_per_sm", 48},
      {"policies", {{"scheduler", "lrr"}}},
      {"peaks", {{"f32_per_s", 1e12}, {"f64_per_s", 1e11}, {"dram_bytes_per_s", 1e11}, {"l2_bytes_per_s", 3e11}}},
      {"slot_uses", {"issue", "memory", "idle"}},
      {"lane_buckets", {"W0_Idle", "W0_Mem", "Stall", "W1-32"}},
      {"warp_uses", {"issue", "memory"}},
      {"pipes", {"alu", "fma"}}};
  json first = {{"text", "ld.global.f32 %f1, [%rd1];"}, {"line", 7}}, second = {{"text", "ret;"}, {"line", 9}};
  if (with_source) first["source"] = second["source"] = {"dir/k.cu", 12};
  const json function = {{"kind", "function"},
                         {"number", 0},
                         {"name", "k"},
                         {"instructions", {first, second}},
                         {"sources", {{"dir/k.cu", {{"12", "  x = a[i] < 3;"}}}}}};
  const json launch = {
      {"kind", "launch"},
      {"number", 1},
      {"kernel", "k<int>"},
      {"grid", {4, 2, 1}},
      {"block", {64, 1, 1}},
      {"blocks", 8},
      {"block_needs", {{"threads", 64}, {"registers", 10}, {"shared", 0}}},
      {"start", 0},
      {"cycles", cycles},
      {"seconds", cycles * 1e-9},
      {"ipc", 3.5},
      {"occupancy", 0.25},
      {"simd_efficiency", 0.75},
      {"f32_operations", 1000},
      {"f64_operations", 0},
      {"sm", sm},
      {"by_sm", {sm, sm}},
      {"memory",
       {{"global_accesses", 4},
        {"local_accesses", 0},
        {"shared_accesses", 0},
        {"constant_accesses", 1},
        {"atomic_accesses", 0},
        {"transactions", 8},
        {"transaction_bytes", 1024},
        {"useful_bytes", 512},
        {"shared_passes", 0},
        {"shared_least_passes", 0},
        {"stall_cycles", {{"busy", 3}}},
        {"l1", cache},
        {"l2", cache},
        {"dram", {{"bytes", 2048}, {"utilisation", 0.5}, {"row_hits", 1}, {"row_misses", 1}, {"row_conflicts", 0}}}}},
      {"series",
       {{"interval", 16},
        {"uses", {{1, 2, 3}, {4, 5, 6}}},
        {"lanes", {{1, 2, 0, 3}, {4, 5, 0, 6}}},
        {"memory", {{0, 0, 0, 0, 0, 0}, {64, 2048, 3, 4, 3, 4}}}}},
      {"lines", {{{"function", 0}, {"counts", {{0, 6, 150, {6, 600}}, {1, 6, 150, {6, 0}}}}}}}};
  return machine.dump() + "\n" + function.dump() + "\n" + launch.dump() + "\n";
}

// Elements of HTML and SVG that are opened and not closed, or closed and not open; and whether anything is loaded.
std::string faults_of(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != page.npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    if (end == page.npos) return "an element without end";
    const std::string tag = page.substr(at + 1, end - at - 1);
    if (tag[0] == '!' || tag.back() == '/') continue;
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag[0] == '/' ? 1 : 0));
    if (tag[0] != '/') {
      open.push_back(name);
    } else {
      const std::string closed = tag.substr(1);
      if (open.empty() || open.back() != closed) return "</" + closed + "> in <" + (open.empty() ? "" : open.back());
      open.pop_back();
    }
  }
  if (!open.empty()) return "open: " + open.back();
  for (const char* loads : {"http:", "https:", "src=", "<script", "@import", "url("})
    if (page.find(loads) != page.npos) return std::string("it loads: ") + loads;
  return {};
}

TEST(Report, HasFiguresAndTheHottestLineFirst) {
  const simreport::Run run = parse_run(report("sim:m", 1000), "r.json");
  ASSERT_EQ(run.launches.size(), 1u);
  const std::string text = report_text(run);
  for (const char* part : {"sim:m: A <machine>", "k<int>: 4x2 blocks of 64 threads", "cycles", "1 000", "slots: memory",
                           "49.4  %", "L1 hits", "75.0", "DRAM row hits", "k.cu:12", "x = a[i] < 3;", "memory"})
    EXPECT_THAT(text, HasSubstr(part));
  // Both instructions are of one line of the source.
  ASSERT_EQ(run.launches[0].source.size(), 1u);
  EXPECT_EQ(run.launches[0].source[0].issues, 12);
  EXPECT_EQ(run.launches[0].source[0].all_cycles(), 612);
  const std::string ptx = report_text(parse_run(report("sim:m", 1000, false), "r.json"));
  EXPECT_LT(ptx.find("ld.global.f32"), ptx.find("ret;"));
}

TEST(Report, PagesStandAloneAndAreWellFormed) {
  for (const bool with_source : {true, false}) {
    const std::string page = report_page(parse_run(report("sim:m", 1000, with_source), "r.json"));
    EXPECT_EQ(faults_of(page), "");
    for (const char* part : {"What the schedulers of each SM did", "Active lanes over time", "DRAM bandwidth over time",
                             "Roofline", "FP32 1000 Gflop/s", "DRAM 100 GB/s", "k&lt;int&gt;", "ld.global.f32"})
      EXPECT_THAT(page, HasSubstr(part));
    EXPECT_THAT(page, Not(HasSubstr("k<int>")));
    EXPECT_EQ(page.find("x = a[i] &lt; 3;") != page.npos, with_source);
  }
}

// 32 cycles of slots and 64 of DRAM.
TEST(Report, AxesHaveRoundNumbersOfCycles) {
  const std::string page = report_page(parse_run(report("sim:m", 1000), "r.json"));
  for (const char* part : {">25</text>", ">30</text>", ">60</text>"}) EXPECT_THAT(page, HasSubstr(part));
  for (const char* part : {">16</text>", ">32</text>", ">64</text>"}) EXPECT_THAT(page, Not(HasSubstr(part)));
}

TEST(Compare, PutsFiguresSideBySide) {
  const std::vector<simreport::Run> runs = {parse_run(report("sim:a", 1000), "a.json"),
                                            parse_run(report("sim:b", 2000), "b.json")};
  const std::string text = compare_text(runs);
  EXPECT_THAT(text, testing::ContainsRegex("cycles +1 000 +2 000"));
  const std::string page = compare_page(runs);
  EXPECT_EQ(faults_of(page), "");
  EXPECT_THAT(page, HasSubstr("<td>cycles</td><td>1 000</td><td>2 000</td>"));
  EXPECT_THAT(page, HasSubstr("2: k&lt;int&gt;"));
}

TEST(Report, WhatIsNoReportIsRefusedWithItsLine) {
  const auto message = [](const std::string& text) {
    try {
      parse_run(text, "r.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(""), HasSubstr("report=FILE.json"));
  EXPECT_THAT(message("[1]\n"), HasSubstr("r.json:1: no report"));
  EXPECT_THAT(message(report("m", 10) + "{\"kind\":\"launch\"}\n"), HasSubstr("r.json:4: "));
  EXPECT_THAT(message(report("m", 10) + "{"), HasSubstr("r.json:4: "));
}

}  // namespace
}  // namespace heddle::simreport
