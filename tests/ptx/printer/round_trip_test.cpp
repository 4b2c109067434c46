// parse, print, ptxas, parse: for the PTX that nvcc and clang made of our kernels, for hand-written PTX, and for two
// public collections of PTX where they are there (HEDDLE_ZLUDA_PTX and HEDDLE_OCELOT_PTX name their folders).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "heddle/error.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "support/places.hpp"
#include "support/ptxas.hpp"

namespace heddle::ptx {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> ptx_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Parses, prints and parses again; returns what was printed, or nothing after a failure.
std::string reprint(const std::string& text, const fs::path& file) {
  std::string printed;
  try {
    const Module module = parse(text, file.filename().string());
    printed = print(module);
    const Module again = parse(printed, "printed");
    EXPECT_TRUE(equal(module, again)) << file << " differs after printing";
    EXPECT_EQ(print(again), printed) << file;
  } catch (const Error& error) {
    ADD_FAILURE() << file << ": " << error.what();
    printed.clear();
  }
  return printed;
}

// Files that ptxas refuses already as they are, are only reprinted (`must_parse`) or left out.
struct Tally {
  unsigned files = 0, accepted = 0;
};
Tally check(const std::vector<fs::path>& files, const std::string* ptxas, bool must_parse,
            const std::set<std::string>& unprintable = {}) {
  Tally tally;
  for (const fs::path& file : files) {
    ++tally.files;
    const std::string text = test::lift_target(read(file));
    const bool accepted = ptxas != nullptr && test::run_ptxas(*ptxas, text).accepted;
    if (accepted) ++tally.accepted;
    if (!accepted && !must_parse) continue;
    const std::string printed = reprint(text, file);
    if (!accepted || printed.empty() || unprintable.count(file.filename().string()) != 0) continue;
    const test::PtxasVerdict verdict = test::run_ptxas(*ptxas, printed);
    EXPECT_TRUE(verdict.accepted) << file << ", printed:\n" << verdict.messages.substr(0, 1000);
  }
  return tally;
}

constexpr const char* no_ptxas = "NO PTXAS: printed PTX is parsed again, but not judged by ptxas. Set HEDDLE_PTXAS.";

TEST(RoundTrip, OurFiles) {
  const auto ptxas = test::find_ptxas();
  std::vector<fs::path> files = ptx_files(tests::test_data() / "data/ptx");
  for (const fs::path& seed : ptx_files(tests::test_data() / "fuzz/ptx_corpus"))
    if (seed.filename().string().rfind("found_", 0) != 0) files.push_back(seed);  // those may be no PTX at all
  ASSERT_GE(files.size(), 20u);
  const Tally tally = check(files, ptxas ? &*ptxas : nullptr, true);
  if (!ptxas) GTEST_SKIP() << no_ptxas;
  EXPECT_EQ(tally.accepted, tally.files) << "ptxas refuses some test file as it is";
}

TEST(RoundTrip, OriginalTextIsNotNeeded) {
  for (const fs::path& file : ptx_files(tests::test_data() / "data/ptx")) reprint(read(file), file);
}

// The collections are not ours to keep here.
std::optional<fs::path> collection(const char* variable) {
  const char* folder = std::getenv(variable);
  return folder != nullptr && *folder != '\0' ? std::optional<fs::path>(folder) : std::nullopt;
}

TEST(RoundTrip, Zluda) {
  const auto folder = collection("HEDDLE_ZLUDA_PTX");
  if (!folder) GTEST_SKIP() << "NOT RUN: HEDDLE_ZLUDA_PTX does not name ZLUDA's folder of PTX tests";
  const auto ptxas = test::find_ptxas();
  // Their .func parameters are vectors of 16-bit registers. The IR has the elements as parameters of their own, and
  // those are too narrow for ptxas; everything else takes them.
  const std::set<std::string> unprintable = {"mma_m16n8k32_s32_s8_s8_s32.ptx",
                                             "mma_m16n8k32_s32_s8_s8_s32_interleave.ptx"};
  const Tally tally = check(ptx_files(*folder), ptxas ? &*ptxas : nullptr, true, unprintable);
  std::printf("%u files, of which ptxas takes %u\n", tally.files, tally.accepted);
  if (!ptxas) GTEST_SKIP() << no_ptxas;
}

TEST(RoundTrip, Ocelot) {
  const auto folder = collection("HEDDLE_OCELOT_PTX");
  if (!folder) GTEST_SKIP() << "NOT RUN: HEDDLE_OCELOT_PTX does not name Ocelot's folder of PTX tests";
  const auto ptxas = test::find_ptxas();
  if (!ptxas) GTEST_SKIP() << "NOT RUN: ptxas decides which of Ocelot's files are PTX today, and there is none";
  const Tally tally = check(ptx_files(*folder), &*ptxas, false);
  std::printf("%u files, of which ptxas takes %u\n", tally.files, tally.accepted);
}

}  // namespace
}  // namespace heddle::ptx
