// What the CUDA device asks of a driver: which modules it has compiled and when, how parts of grids are launched, how
// memory is mapped.
#include "device/cuda/fake_gpu.hpp"

namespace heddle::device::cuda {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// `k` reads its block's number, `plain` does not; `counts` has variables.
const std::string source = with_header(R"(
.visible .global .align 4 .u32 total;
.visible .const .align 4 .u32 step = 3;
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<2>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %ctaid.x;
  mad.wide.u32 %d2, %r1, 4, %d1;
  st.global.u32 [%d2], %r1;
  ret;
}
.visible .entry plain(.param .u64 out) { ret; }
.visible .entry counts(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.const.u32 %r1, [step];
  mov.u32 %r2, %ctaid.x;
  mul.lo.u32 %r1, %r1, %r2;
  red.global.add.u32 [total], %r1;
  ret;
}
)");

constexpr unsigned char fat_binary[] = {0x50, 0xed, 0x55, 0xba};

TEST_F(FakeGpu, CodeForPartsIsCompiledWhenALaunchIsCut) {
  const auto module = load(source, {.machine_code = std::as_bytes(std::span(fat_binary))});
  EXPECT_THAT(log(), ElementsAre("module: fat binary"));
  module->function("k").prepare({32});
  parts(*module, "k", {64}, 64);
  parts(*module, "k", {3}, 64);
  EXPECT_THAT(log(), ElementsAre(StartsWith("launch k (64 1 1)"), StartsWith("launch k (3 1 1)")));
  parts(*module, "k", {150}, 64);
  const std::vector<std::string> first = log();
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(first[0], "module: 1 kernels");
  EXPECT_THAT(first[1], StartsWith("launch k__heddle_box (64 1 1)"));
  EXPECT_THAT(first[3], StartsWith("launch k__heddle_box (22 1 1)"));
  // The argument, and where the box begins.
  EXPECT_THAT(words(first[1]), StartsWith(" 7 0 0"));
  EXPECT_THAT(words(first[2]), StartsWith(" 7 0 64"));
  EXPECT_THAT(words(first[3]), StartsWith(" 7 0 128"));
  parts(*module, "k", {150}, 100);
  EXPECT_EQ(log().size(), 2u) << "it is compiled once";
}

TEST_F(FakeGpu, KernelsThatReadNoNumbersNeedNoCode) {
  const auto module = load(source, {.machine_code = std::as_bytes(std::span(fat_binary))});
  log();
  parts(*module, "plain", {100}, 64);
  EXPECT_THAT(log(), ElementsAre(StartsWith("launch plain (64 1 1)"), StartsWith("launch plain (36 1 1)")));
}

TEST_F(FakeGpu, VariablesStayThoseOfTheModule) {
  const auto module = load(source);
  const std::uint64_t total = module->variable("total").address, step = module->variable("step").address;
  log();
  parts(*module, "counts", {96}, 64);
  const std::vector<std::string> lines = log();
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "module: 1 kernels");
  char text[64];
  std::snprintf(text, sizeof text, ": %llx", static_cast<unsigned long long>(total));
  EXPECT_THAT(lines[1], AllOf(StartsWith("write "), HasSubstr(text)));
  std::snprintf(text, sizeof text, " from %llx, 64 bytes", static_cast<unsigned long long>(step));
  EXPECT_THAT(lines[2], AllOf(StartsWith("copy "), HasSubstr(text)));
  EXPECT_THAT(lines[3], StartsWith("launch counts__heddle_box"));
  EXPECT_EQ(lines[2].substr(lines[2].find(" in ")), " in " + stream(lines[3])) << "in order with the first part";
  // Constants may have been written since; addresses stay.
  parts(*module, "counts", {96}, 32);
  const std::vector<std::string> again = log();
  ASSERT_EQ(again.size(), 4u);
  EXPECT_EQ(again[0], lines[2]);
}

TEST_F(FakeGpu, WhatCannotBeAloneIsCompiledWithTheModule) {
  const auto module = load(source + ".func f() { ret; }\n.visible .global .u64 table[1] = {f};\n",
                           {.machine_code = std::as_bytes(std::span(fat_binary))});
  // Box and linear entries of two kernels besides the three; the third needs a linear one only. The three are declared
  // before the table, too.
  EXPECT_THAT(log(), ElementsAre("module: 11 kernels"));
  parts(*module, "counts", {96}, 64);
  EXPECT_THAT(log(), ElementsAre(StartsWith("launch counts__heddle_box"), StartsWith("launch counts__heddle_box")));
}

TEST_F(FakeGpu, AVariableThatIsNotFoundIsToldInASentence) {
  const auto module = load(with_header(R"(
.global .align 4 .u32 hidden_from_the_host;
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<2>;
  mov.u32 %r1, %ctaid.x;
  red.global.add.u32 [hidden_from_the_host], %r1;
  ret;
}
)"));
  log();
  try {
    parts(*module, "k", {100}, 64);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("kernel 'k'"), HasSubstr("'hidden_from_the_host'")));
  }
  for (const std::string& line : log()) EXPECT_THAT(line, testing::Not(StartsWith("launch")));
}

TEST_F(FakeGpu, PartsTakeTurnsInStreams) {
  const auto module = load(source);
  log();
  parts(*module, "k", {64 * 20}, 64);
  std::vector<std::string> lines = log();
  ASSERT_EQ(lines.size(), 21u);
  lines.erase(lines.begin());
  std::vector<std::string> streams;
  for (const std::string& line : lines)
    if (std::find(streams.begin(), streams.end(), stream(line)) == streams.end()) streams.push_back(stream(line));
  ASSERT_EQ(streams.size(), 4u);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(stream(lines[i]), streams[i % 4]);
    EXPECT_EQ(lines[i].find(" early") != std::string::npos, i >= 4) << lines[i];
  }
  parts(*module, "k", {128}, 64);
  lines = log();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(stream(lines[0]), streams[0]);
  EXPECT_NE(stream(lines[1]), streams[0]);
}

TEST_F(FakeGpu, PartsThatAreNoBoxesAllRunOneForm) {
  const auto module = load(source);
  log();
  parts(*module, "k", {100, 3}, 64);
  const std::vector<std::string> lines = log();
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0], "module: 1 kernels");
  for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_THAT(lines[i], StartsWith("launch k__heddle_linear ("));
}

TEST_F(FakeGpu, PartsThatCannotBe) {
  const auto module = load(source);
  const auto refused = [&](const LaunchConfig& config, std::uint64_t part) {
    const std::uint64_t argument = 7;
    try {
      queue_->launch_parts(module->function("k"), config, {0, config.grid.count()}, part,
                           std::as_bytes(std::span(&argument, 1)));
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(refused({.grid = {10}, .block = {32}}, 0), ErrorCode::invalid_argument);
  EXPECT_EQ(refused({.grid = {10}, .block = {32}, .cooperative = true}, 2), ErrorCode::unsupported);
  EXPECT_EQ(refused({.grid = {10}, .block = {5000}}, 2), ErrorCode::invalid_argument);
}

TEST_F(FakeGpu, MappedMemoryIsKnownToCopies) {
  AddressMapping* const mapping = device_->address_mapping();
  ASSERT_NE(mapping, nullptr);
  const std::size_t grain = mapping->granularity();
  EXPECT_EQ(grain, std::size_t{2} << 20);
  const std::uint64_t at = mapping->reserve(3 * grain, grain, 0);
  const auto plain = mapping->create(grain, false), small = mapping->create(grain, true);
  EXPECT_FALSE(plain.compressible);
  EXPECT_TRUE(small.compressible);
  mapping->map(at, grain, plain.handle);
  mapping->map(at + grain, grain, small.handle);
  mapping->set_access(at, 2 * grain, MappedAccess::read_write);
  EXPECT_THAT(log(), ElementsAre(HasSubstr("reserve"), "create 2097152 on 1.0", "create 2097152 on 1.0, compressible",
                                 HasSubstr("map"), HasSubstr("map"), "access 4194304: 1.0 may 3"));
  std::vector<std::byte> host(grain);
  const auto copy = [&](std::uint64_t to, std::size_t bytes) {
    queue_->copy(Span{device_.get(), to, bytes}, Span::host(host.data(), bytes));
  };
  copy(at + grain / 2, grain);  // from one into the other
  EXPECT_THROW(copy(at + 2 * grain, 8), Error);
  mapping->unmap(at, grain);
  EXPECT_THROW(copy(at, 8), Error);
  copy(at + grain, grain);
  mapping->unmap(at + grain, grain);
  EXPECT_THROW(copy(at + grain, 8), Error);
  mapping->release(plain.handle);
  mapping->release(small.handle);
  mapping->free(at, 3 * grain);
  EXPECT_THAT(log(), testing::IsSupersetOf({"unmap 2097152", "free 6291456"}));
}

TEST_F(FakeGpu, SeveralCommandsAskForTheContextOnce) {
  const auto module = load(source);
  const auto before = device_->event(), after = device_->event();
  const auto put = [&] {
    const std::uint64_t argument = 7;
    queue_->launch(module->function("plain"), {.grid = {1}, .block = {32}}, {0, 1},
                   std::as_bytes(std::span(&argument, 1)));
    queue_->record(*after);
    queue_->wait(*after);
  };
  put();
  *context_() = nullptr;
  context_questions_();
  put();
  EXPECT_EQ(context_questions_(), 3u);
  device_->commands(put);
  EXPECT_EQ(context_questions_(), 1u);
  // As it was: whatever the program has chosen.
  void* const own = reinterpret_cast<void*>(99);
  *context_() = own;
  device_->commands(put);
  EXPECT_EQ(*context_(), own);
  EXPECT_THROW(device_->commands([] { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(*context_(), own);
  *context_() = nullptr;
}

TEST_F(FakeGpu, FunctionsOfTheProgramMayChooseAnotherContext) {
  void* const own = reinterpret_cast<void*>(99);
  const auto choose = [&](void*) { *context_() = own; };
  const auto event = device_->event();
  queue_->record(*event);
  void* const before = *context_();
  void* gpu = nullptr;
  device_->commands([&] {
    gpu = *context_();
    queue_->call_with_stream(choose);
    EXPECT_EQ(*context_(), gpu);
    EXPECT_THROW(queue_->call_with_stream([&](void*) {
      *context_() = own;
      throw std::runtime_error("no");
    }),
                 std::runtime_error);
    EXPECT_EQ(*context_(), gpu);
    queue_->call_with_stream([&](void*) {
      *context_() = own;
      queue_->record(*event);  // the function's own use of the device
      EXPECT_EQ(*context_(), own);
    });
    EXPECT_EQ(*context_(), gpu);
  });
  EXPECT_NE(gpu, own);
  EXPECT_EQ(*context_(), before);
}

// A structure that is aligned to 64 bytes, and what lies behind it: 32 bytes of packed arguments that no kernel sees.
const std::string wide_source = with_header(R"(
.visible .entry wide(.param .u32 first, .param .align 64 .b8 s[64], .param .u32 last) {
  .reg .b32 %r<2>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [s];
  mov.u32 %r1, %ctaid.x;
  st.global.u32 [%d1], %r1;
  ret;
}
)");

class FakeGpuWide : public FakeGpu {
 protected:
  void launch(Module& module, const Dim3& grid, std::uint64_t part) {
    std::vector<std::uint32_t> packed(33);
    packed[0] = 1;
    for (unsigned i = 0; i < 16; ++i) packed[16 + i] = 100 + i;
    packed[32] = 2;
    queue_->launch_parts(module.function("wide"), {.grid = grid, .block = {32}}, {0, grid.count()}, part,
                         std::as_bytes(std::span(packed)));
  }
  const std::string seen_ = " 1 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 2";
};

TEST_F(FakeGpuWide, ParametersArriveWhereTheMachineCodeHasThem) {
  const auto module = load(wide_source);
  log();
  launch(*module, {64}, 64);
  const std::vector<std::string> lines = log();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(words(lines[0]), seen_);
}

TEST_F(FakeGpuWide, SoDoTheHiddenOnesOfParts) {
  const auto module = load(wide_source);
  log();
  launch(*module, {64 * 20}, 64);
  std::vector<std::string> lines = log();
  ASSERT_EQ(lines.size(), 21u);
  EXPECT_THAT(lines[20], HasSubstr(" early")) << "the other way to launch is seen, too";
  for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(words(lines[i + 1]), seen_ + ' ' + std::to_string(64 * i));
  launch(*module, {100, 3}, 64);  // no boxes
  lines = log();
  ASSERT_GE(lines.size(), 2u);
  EXPECT_THAT(words(lines[1]), StartsWith(seen_ + " 100 0 ")) << "the grid's width and the first block";
}

TEST_F(FakeGpuWide, SoDoThoseOfLaunchesThatCanBeStopped) {
  const auto module = load(wide_source, {.stoppable = true});
  log();
  std::vector<std::uint32_t> packed(33, 9);
  queue_->launch_stoppable(module->function("wide"), {.grid = {64}, .block = {32}}, {0, 64},
                           std::as_bytes(std::span(packed)));
  std::string found;
  for (const std::string& line : log())
    if (line.starts_with("launch ")) found = words(line);
  EXPECT_THAT(found, testing::ContainsRegex("^( 9){18}( [0-9]+){4} 64 64 "))
      << "two addresses, the block to stop at and the grid's width";
}

}  // namespace
}  // namespace heddle::device::cuda
