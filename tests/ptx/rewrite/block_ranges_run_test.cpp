// Kernels run directly over a whole grid, and as ranges through the added entries of each form, in the same module or
// in one of their own: memory must hold the same bits afterwards. The kernels are those of tests/data/run and of the
// folder ranges beside this file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "device/interp/interp.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "ptx/rewrite/block_ranges.hpp"
#include "ptx/rewrite/block_ranges_plan.hpp"
#include "ptx/rewrite/single_kernel.hpp"
#include "support/places.hpp"
#include "support/ptx_test.hpp"
#include "support/short_patience.hpp"

namespace heddle::test {
namespace {

using ptx::RangeEntry;
using ptx::RangeForm;

constexpr RangeForm forms[] = {RangeForm::box, RangeForm::linear, RangeForm::prelude, RangeForm::pool};

// Addresses differ from device to device.
bool holds_address(const ptx::Variable& variable) {
  return std::any_of(variable.init.begin(), variable.init.end(), [](const ptx::InitValue& value) {
    return value.kind == ptx::InitValue::Kind::symbol || value.kind == ptx::InitValue::Kind::generic_symbol;
  });
}

// A file's module with its added entries.
struct Ranges {
  ptx::RangeModule added;
  std::shared_ptr<const ptx::Module> module;
};

class RangeFiles {
 public:
  const Ranges& of(const PtxCase& c) {
    auto& ranges = files_[c.file.string()];
    if (!ranges) {
      ranges = std::make_unique<Ranges>();
      ranges->added =
          ptx::add_range_entries(ptx::parse(c.source, c.file.filename().string()), forms, {.processor_mask = true});
      ranges->module = std::make_shared<const ptx::Module>(ranges->added.module);
    }
    return *ranges;
  }

 private:
  std::map<std::string, std::unique_ptr<Ranges>> files_;
};

// One run of a case: its buffers on a device of its own.
class CaseRun {
 public:
  CaseRun(const PtxCase& c, const Ranges& ranges)
      : case_(c),
        ranges_(ranges),
        device_(device::interp::make_interp_device(
            {.poison = c.poison, .deadlock_timeout = short_patience, .print = [](std::string_view) {}})),
        loaded_(device_->load(ranges.module, {})),
        queue_(device_->queue({})) {
    const auto& layout = loaded_->function(c.kernel).parameters();
    packed_.resize(loaded_->function(c.kernel).parameter_bytes());
    if (layout.size() != c.arguments.size()) throw std::runtime_error("arguments do not fit");
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
      host_.push_back(to_bytes(c.arguments[i]));
      memory_.push_back(c.arguments[i].buffer ? device_->allocate(host_[i].size()) : nullptr);
      std::memcpy(packed_.data() + layout[i].offset, host_[i].data(),
                  std::min<std::size_t>(host_[i].size(), layout[i].size));
      if (!memory_[i]) continue;
      queue_->copy(memory_[i]->span(), device::Span::host(host_[i].data(), host_[i].size()));
      const std::uint64_t address = memory_[i]->span().address;
      std::memcpy(packed_.data() + layout[i].offset, &address, layout[i].size);
    }
    record_ = device_->allocate(record_words * sizeof(std::uint32_t));
  }

  void whole() { launch(case_.kernel, case_.grid, packed_); }

  void range(const RangeEntry& entry, const BlockRange& range, unsigned workers) {
    // The counter, the word that stops, and a mask that allows the one processor there is.
    write_record({static_cast<std::uint32_t>(range.begin), 0, 1});
    const std::uint64_t address = record_->span().address;
    for (const ptx::RangeLaunch& part :
         plan_range(entry, case_.grid, range, {}, {workers, address, address + sizeof(std::uint32_t)})) {
      std::vector<std::byte> packed = packed_;
      packed.resize(entry.hidden_offset);
      packed.insert(packed.end(), part.hidden.begin(), part.hidden.end());
      launch(entry.name, part.grid, packed);
    }
    if (entry.form == RangeForm::pool && !range.empty()) {
      // Every block is taken, and every worker has come for one more.
      EXPECT_EQ(read_record()[0], range.end + workers);
    }
  }

  // The same by an entry of a module that holds nothing but it, whose variables are those of the kernel's module.
  void range_alone(const ptx::RangeModule& forms, const RangeEntry& entry, const BlockRange& range) {
    std::uint32_t place = 0;
    ptx::Module alone = ptx::take_function(forms.module, entry.function, place);
    const ptx::SharedVariables shared = ptx::share_variables(alone);
    const std::string name = alone.functions[place].name;
    // As the driver would read it.
    const auto module = device_->load(std::make_shared<const ptx::Module>(ptx::parse(ptx::print(alone), "alone")), {});
    std::vector<std::uint64_t> addresses;
    for (const std::string& variable : shared.global) addresses.push_back(loaded_->variable(variable).address);
    if (!addresses.empty())
      queue_->copy(module->variable(shared.table), device::Span::host(addresses.data(), addresses.size() * 8));
    for (const std::string& variable : shared.constant)
      queue_->copy(module->variable(variable), loaded_->variable(variable));
    std::vector<std::byte> packed = packed_;
    packed.resize(entry.parameter_bytes);
    device::LaunchConfig config{.block = case_.block, .dynamic_shared_bytes = case_.shared};
    ptx::plan_parts(entry, case_.grid, range, std::max<std::uint64_t>(1, range.size() / 2), packed,
                    [&](const Dim3& grid, const BlockRange&) {
                      config.grid = grid;
                      queue_->launch(module->function(name), config, BlockRange{0, grid.count()}, packed);
                    });
    queue_->synchronize();
  }

  // Runs a pool with what the record says; gives the record afterwards.
  std::vector<std::uint32_t> pool(const RangeEntry& entry, unsigned workers, const std::vector<std::uint32_t>& record,
                                  std::uint64_t end, std::uint64_t control = 0) {
    write_record(record);
    const std::uint64_t address = record_->span().address;
    const auto plan = plan_range(entry, case_.grid, {0, end}, {},
                                 {workers, address, control != 0 ? control : address + sizeof(std::uint32_t)});
    std::vector<std::byte> packed = packed_;
    packed.resize(entry.hidden_offset);
    packed.insert(packed.end(), plan[0].hidden.begin(), plan[0].hidden.end());
    launch(entry.name, plan[0].grid, packed);
    return read_record();
  }

  std::uint64_t address(std::size_t argument) const { return memory_[argument]->span().address; }

  // All that is left: the buffers, and the variables of the module.
  std::vector<std::vector<std::byte>> contents() {
    std::vector<std::vector<std::byte>> all;
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if (memory_[i]) all.push_back(read(memory_[i]->span()));
    for (const ptx::Variable& variable : ranges_.module->variables)
      if (variable.space == ptx::Space::global && variable.linkage != ptx::Linkage::external &&
          !holds_address(variable))
        all.push_back(read(loaded_->variable(variable.name)));
    return all;
  }

 private:
  static constexpr std::size_t record_words = 4;

  void launch(const std::string& function, const Dim3& grid, const std::vector<std::byte>& packed) {
    device::LaunchConfig config;
    config.grid = grid;
    config.block = case_.block;
    config.dynamic_shared_bytes = case_.shared;
    queue_->launch(loaded_->function(function), config, BlockRange{0, grid.count()}, packed);
    queue_->synchronize();
  }

  std::vector<std::byte> read(const device::Span& span) {
    std::vector<std::byte> bytes(span.size);
    queue_->copy(device::Span::host(bytes.data(), bytes.size()), span);
    queue_->synchronize();
    return bytes;
  }
  void write_record(const std::vector<std::uint32_t>& words) {
    queue_->copy(record_->span().sub(0, words.size() * sizeof(std::uint32_t)),
                 device::Span::host(words.data(), words.size() * sizeof(std::uint32_t)));
    queue_->synchronize();
  }
  std::vector<std::uint32_t> read_record() {
    const auto bytes = read(record_->span());
    std::vector<std::uint32_t> words(record_words);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }

  const PtxCase& case_;
  const Ranges& ranges_;
  std::unique_ptr<device::Device> device_;
  std::shared_ptr<device::Module> loaded_;
  std::vector<std::unique_ptr<device::Memory>> memory_;
  std::unique_ptr<device::Memory> record_;
  std::unique_ptr<device::Queue> queue_;
  std::vector<std::vector<std::byte>> host_;
  std::vector<std::byte> packed_;
};

std::vector<BlockRange> cut(std::uint64_t total, unsigned pieces, std::mt19937& random) {
  std::vector<std::uint64_t> ends{0, total};
  for (unsigned i = 1; i < pieces; ++i) ends.push_back(random() % (total + 1));
  std::sort(ends.begin(), ends.end());
  std::vector<BlockRange> ranges;
  for (std::size_t i = 1; i < ends.size(); ++i) ranges.push_back({ends[i - 1], ends[i]});
  return ranges;
}

bool is_comparable(const PtxCase& c) { return !c.error && !c.cooperative && !c.blocks && c.runs_on("interp"); }

bool suits(const RangeEntry& entry, const Dim3& block) {
  constexpr unsigned warp = 32;
  return !entry.warps_are_rows || (block.y == 1 && block.z == 1) || block.x % warp == 0;
}

struct Counts {
  std::map<RangeForm, unsigned> cases, several;  // compared; of those, grids of several blocks
};

void compare(const PtxCase& c, const Ranges& ranges, Counts& counts, std::mt19937& random) {
  SCOPED_TRACE(fmt::format("{}:{}", c.file.string(), c.line));
  std::uint32_t original = 0;
  while (ranges.added.module.functions[original].name != c.kernel) ++original;
  std::optional<std::vector<std::vector<std::byte>>> want;
  for (RangeForm form : forms) {
    const RangeEntry* entry = ranges.added.find(original, form);
    if (!entry || !suits(*entry, c.block)) continue;
    // Cases that are run with poison look at what fresh shared memory holds, which for a pool's later blocks is what
    // the earlier ones left; no kernel may count on it.
    if (form == RangeForm::pool && c.poison) continue;
    if (!want) {
      CaseRun whole(c, ranges);
      whole.whole();
      want = whole.contents();
    }
    const unsigned pieces = c.grid.count() == 1 ? 1 : 1 + static_cast<unsigned>(random() % 4);
    CaseRun parts(c, ranges);
    std::string what(name(form));
    for (const BlockRange& range : cut(c.grid.count(), pieces, random)) {
      what += fmt::format(" [{}, {})", range.begin, range.end);
      parts.range(*entry, range, 1 + static_cast<unsigned>(random() % 3));
    }
    EXPECT_TRUE(parts.contents() == *want) << what;
    ++counts.cases[form];
    counts.several[form] += c.grid.count() > 1 ? 1 : 0;
  }
}

TEST(BlockRangesRun, RangesLeaveWhatTheWholeGridLeaves) {
  const std::filesystem::path tests = tests::test_data();
  RangeFiles files;
  Counts counts;
  std::mt19937 random(5);
  for (const auto& folder : {tests / "data" / "run", tests / "ptx" / "rewrite" / "ranges"})
    for (const PtxCase& c : read_folder(folder)) {
      if (!is_comparable(c)) continue;
      // Ranges of several blocks are cut in several ways.
      for (int turn = 0; turn < (c.grid.count() > 1 ? 5 : 1); ++turn) compare(c, files.of(c), counts, random);
    }
  for (RangeForm form : forms) {
    fmt::print("{}: {} comparisons, {} of several blocks\n", name(form), counts.cases[form], counts.several[form]);
    EXPECT_GT(counts.cases[form], 1000u) << name(form);
    EXPECT_GT(counts.several[form], 80u) << name(form);
  }
}

struct AloneCounts {
  unsigned cases = 0, global = 0, constant = 0;  // compared; of those, kernels with such variables
};

void compare_alone(const PtxCase& c, const Ranges& ranges, AloneCounts& counts, std::mt19937& random) {
  SCOPED_TRACE(fmt::format("{}:{}", c.file.string(), c.line));
  const ptx::Module& module = ranges.added.module;
  std::uint32_t original = 0, kernel = 0;
  while (module.functions[original].name != c.kernel) ++original;
  constexpr RangeForm late[] = {RangeForm::box, RangeForm::linear};
  const ptx::RangeModule forms = ptx::add_range_entries(ptx::take_function(module, original, kernel), late);
  std::optional<std::vector<std::vector<std::byte>>> want;
  for (const RangeForm form : late) {
    const RangeEntry* entry = forms.find(kernel, form);
    EXPECT_EQ(entry == nullptr, ranges.added.find(original, form) == nullptr) << name(form);
    if (!entry) continue;
    if (!want) {
      CaseRun whole(c, ranges);
      whole.whole();
      want = whole.contents();
    }
    CaseRun parts(c, ranges);
    for (const BlockRange& range : cut(c.grid.count(), c.grid.count() == 1 ? 1 : 3, random))
      if (!range.empty()) parts.range_alone(forms, *entry, range);
    EXPECT_TRUE(parts.contents() == *want) << name(form);
    ++counts.cases;
    ptx::Module alone = ptx::take_function(module, original, kernel);
    const ptx::SharedVariables shared = ptx::share_variables(alone);
    counts.global += shared.global.empty() ? 0 : 1;
    counts.constant += shared.constant.empty() ? 0 : 1;
  }
}

TEST(BlockRangesRun, KernelsInModulesOfTheirOwnLeaveTheSame) {
  const std::filesystem::path tests = tests::test_data();
  RangeFiles files;
  AloneCounts counts;
  std::mt19937 random(6);
  for (const auto& folder : {tests / "data" / "run", tests / "ptx" / "rewrite" / "ranges"})
    for (const PtxCase& c : read_folder(folder)) {
      if (!is_comparable(c)) continue;
      const Ranges& ranges = files.of(c);
      if (!ptx::find_single_kernel_refusal(*ranges.module)) compare_alone(c, ranges, counts, random);
    }
  fmt::print("{} comparisons, {} with global and {} with constant variables\n", counts.cases, counts.global,
             counts.constant);
  EXPECT_GT(counts.cases, 1000u);
  EXPECT_GT(counts.global, 15u);
  EXPECT_GT(counts.constant, 10u);
}

// Each block of `counted` adds to `out`; the one whose number is `stop_at` writes the word that stops the pool.
const char* const stopping = R"(.version 8.0
.target sm_80
.address_size 64
//: launch counted grid 5 4 block 4
//: arg out u32[20]
//: arg stop u32[4]
//: arg stop_at u32 = 7
//: expect out same-as interp
.visible .entry counted(.param .u64 out, .param .u64 stop, .param .u32 stop_at)
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %d<6>;
  ld.param.u64 %d1, [out];
  ld.param.u64 %d4, [stop];
  ld.param.u32 %r5, [stop_at];
  mov.u32 %r1, %ctaid.y;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r3, %r1, 5, %r2;
  mul.wide.u32 %d2, %r3, 4;
  add.u64 %d3, %d1, %d2;
  red.global.add.u32 [%d3], 1;
  setp.eq.u32 %p1, %r3, %r5;
  @%p1 st.volatile.global.u32 [%d4], 1;
  ret;
}
)";

class Pools : public testing::Test {
 protected:
  Pools() : cases_(parse_cases(stopping, "stopping.ptx")), ranges_(files_.of(cases_[0])) {
    entry_ = ranges_.added.find(0, RangeForm::pool);
  }
  // How often each block has run.
  std::vector<std::uint32_t> counts(CaseRun& run) const {
    const auto contents = run.contents();
    std::vector<std::uint32_t> threads(contents[0].size() / sizeof(std::uint32_t));
    std::memcpy(threads.data(), contents[0].data(), contents[0].size());
    return threads;
  }
  static std::vector<std::uint32_t> first(unsigned blocks) {
    std::vector<std::uint32_t> list(20, 0);
    std::fill_n(list.begin(), blocks, 4u);  // four threads each
    return list;
  }

  RangeFiles files_;
  std::vector<PtxCase> cases_;
  const Ranges& ranges_;
  const RangeEntry* entry_ = nullptr;
};

TEST_F(Pools, APoolThatIsToldToStopTakesNoMore) {
  ASSERT_NE(entry_, nullptr);
  CaseRun told_before(cases_[0], ranges_);
  EXPECT_EQ(told_before.pool(*entry_, 3, {4, 1, 1}, 20)[0], 4u);
  EXPECT_EQ(counts(told_before), first(0));
}

// Block 7 stops the pool: with one worker, the counter says exactly which blocks have run.
TEST_F(Pools, AStoppedPoolIsResumedWhereItsCounterStands) {
  PtxCase c = cases_[0];
  c.arguments[1].values = {0, 1, 0, 0};  // goes on; processor 0 is allowed
  CaseRun run(c, ranges_);
  const std::uint64_t control = run.address(1);
  EXPECT_EQ(run.pool(*entry_, 1, {0}, 20, control)[0], 8u);  // block 7 has stopped it
  EXPECT_EQ(counts(run), first(8));
  // The rest, with a word of its own that nobody sets.
  const auto record = run.pool(*entry_, 2, {8, 0, 1}, 20);
  EXPECT_EQ(record[0], 22u);
  EXPECT_EQ(counts(run), first(20));
}

TEST_F(Pools, ProcessorsOutsideOfTheMaskRunNothing) {
  CaseRun run(cases_[0], ranges_);
  EXPECT_EQ(run.pool(*entry_, 4, {0, 0, 0xfffffffe}, 20)[0], 0u);
  EXPECT_EQ(counts(run), first(0));
  EXPECT_EQ(run.pool(*entry_, 4, {0, 0, 1}, 20)[0], 24u);
  EXPECT_EQ(counts(run), first(20));
}

}  // namespace
}  // namespace heddle::test
