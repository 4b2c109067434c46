// Kernels run when all is there, and their rewritten forms while it arrives byte by byte: memory must hold the same
// afterwards. The kernels are those of tests/data/run.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <thread>

#include "device/interp/interp.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "ptx/rewrite/await_arrival.hpp"
#include "support/places.hpp"
#include "support/ptx_test.hpp"
#include "support/short_patience.hpp"

namespace heddle::test {
namespace {

constexpr std::uint64_t all_there = ~std::uint64_t{0};

std::uint32_t index_of(const ptx::Module& module, const std::string& kernel) {
  std::uint32_t index = 0;
  while (module.functions[index].name != kernel) ++index;
  return index;
}

// As old PTX as the cases' has no loads that acquire.
ptx::Module parse_new(const PtxCase& c) {
  ptx::Module module = ptx::parse(c.source, c.file.filename().string());
  for (std::string& target : module.targets)
    if (target.starts_with("sm_") && std::stoi(target.substr(3)) < 70) target = "sm_70";
  if (module.version_major < 7) module.version_major = 7, module.version_minor = 0;
  return module;
}

// A case's buffers on a device of its own, whose memory is the host's.
class CaseRun {
 public:
  CaseRun(const PtxCase& c, ptx::Module module)
      : case_(c),
        device_(device::interp::make_interp_device(
            {.poison = c.poison, .deadlock_timeout = short_patience, .print = [](std::string_view) {}})),
        module_(device_->load(std::make_shared<const ptx::Module>(std::move(module)), {})),
        function_(module_->function(c.kernel)),
        packed_(function_.parameter_bytes()) {
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
      const auto& layout = function_.parameters()[i];
      host_.push_back(to_bytes(c.arguments[i]));
      memory_.push_back(c.arguments[i].buffer ? device_->allocate(host_[i].size()) : nullptr);
      std::memcpy(packed_.data() + layout.offset, host_[i].data(), std::min<std::size_t>(host_[i].size(), layout.size));
      if (!memory_[i]) continue;
      std::memcpy(memory_[i]->host(), host_[i].data(), host_[i].size());
      const std::uint64_t address = memory_[i]->span().address;
      std::memcpy(packed_.data() + layout.offset, &address, layout.size);
    }
  }

  // While it runs, what these parameters point to arrives; all else is there.
  void run(const std::vector<std::uint32_t>& arriving, std::size_t count, std::uint32_t words_offset) {
    const auto memory = device_->allocate(count * sizeof(std::uint64_t));
    const std::span words(static_cast<std::uint64_t*>(memory->host()), count);
    for (std::size_t w = 0; w < count; ++w) {
      words[w] = all_there;
      const std::uint64_t address = memory->span().address + w * sizeof(std::uint64_t);
      std::memcpy(packed_.data() + words_offset + w * sizeof address, &address, sizeof address);
    }
    for (std::size_t w = 0; w < arriving.size(); ++w) {
      if (!memory_[arriving[w]]) continue;
      words[w] = memory_[arriving[w]]->span().address;
      std::memset(memory_[arriving[w]]->host(), 0xee, host_[arriving[w]].size());
    }
    std::jthread copies([&] {
      for (std::size_t w = arriving.size(); w-- > 0;) copy(arriving[w], words[w]);
    });
    launch();
  }

  void launch() {
    device::LaunchConfig config;
    config.grid = case_.grid;
    config.block = case_.block;
    config.dynamic_shared_bytes = case_.shared;
    const auto queue = device_->queue({});
    queue->launch(function_, config, BlockRange{0, case_.grid.count()}, packed_);
    queue->synchronize();
  }

  std::vector<std::vector<std::byte>> contents() const {
    std::vector<std::vector<std::byte>> all;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if (!memory_[i]) continue;
      const auto* bytes = static_cast<const std::byte*>(memory_[i]->host());
      all.emplace_back(bytes, bytes + host_[i].size());
    }
    return all;
  }

 private:
  void copy(std::uint32_t argument, std::uint64_t& word) const {
    const std::vector<std::byte>& from = host_[argument];
    if (memory_[argument]) {
      auto* const to = static_cast<std::byte*>(memory_[argument]->host());
      constexpr std::size_t pieces = 5;
      const std::size_t piece = from.size() / pieces + 1;
      for (std::size_t at = 0; at < from.size(); at += piece) {
        const std::size_t size = std::min(piece, from.size() - at);
        std::memcpy(to + at, from.data() + at, size);
        std::atomic_ref(word).store(reinterpret_cast<std::uint64_t>(to + at + size), std::memory_order_release);
        std::this_thread::yield();
      }
    }
    std::atomic_ref(word).store(all_there, std::memory_order_release);
  }

  const PtxCase& case_;
  std::unique_ptr<device::Device> device_;
  std::shared_ptr<device::Module> module_;
  device::Function& function_;
  std::vector<std::byte> packed_;
  std::vector<std::vector<std::byte>> host_;
  std::vector<std::unique_ptr<device::Memory>> memory_;
};

// Which lanes run together depends on when each has its bytes.
bool asks_for_active_lanes(const ptx::Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(), [](const ptx::Function& function) {
    return std::any_of(function.body.begin(), function.body.end(),
                       [](const ptx::Instruction& inst) { return inst.opcode == ptx::Opcode::activemask; });
  });
}

TEST(AwaitArrivalRun, KernelsComputeTheSameWhileTheirArraysArrive) {
  unsigned compared = 0, refused = 0;
  for (const PtxCase& c : read_folder(tests::test_data() / "data" / "run")) {
    if (c.error || c.cooperative || c.blocks || c.check || !c.runs_on("interp")) continue;
    SCOPED_TRACE(c.file.string() + ":" + std::to_string(c.line));
    const ptx::Module module = parse_new(c);
    if (asks_for_active_lanes(module)) continue;
    std::string why;
    const auto kernel = ptx::await_arrival(module, index_of(module, c.kernel), why);
    if (!kernel) {
      EXPECT_FALSE(why.empty());
      ++refused;
      continue;
    }
    ASSERT_EQ(kernel->parameter_bytes, kernel->words_offset + 8 * kernel->parameters.size());
    CaseRun want(c, module), there(c, kernel->module), arriving(c, kernel->module);
    want.launch();
    SCOPED_TRACE(ptx::print(kernel->module));
    there.run({}, kernel->parameters.size(), kernel->words_offset);
    arriving.run(kernel->parameters, kernel->parameters.size(), kernel->words_offset);
    EXPECT_EQ(there.contents(), want.contents());
    EXPECT_EQ(arriving.contents(), want.contents());
    ++compared;
  }
  std::printf("%u kernels compared, %u read no array so that they could wait\n", compared, refused);
  EXPECT_GT(compared, 700u);
}

// A kernel that reads an array in one way of many, and writes another.
std::optional<ptx::AwaitingKernel> rewritten(const std::string& body, std::string& why,
                                             const std::string& version = "7.0\n.target sm_70") {
  const std::string text = ".version " + version + R"(
.address_size 64
.visible .global .u32 seen;
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .pred %p<4>;
  .reg .b32 %r<9>;
  .reg .b64 %d<9>;
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
)" + body + "  ret;\n}\n";
  return ptx::await_arrival(ptx::parse(text, "k.ptx"), 0, why);
}

TEST(AwaitArrivalRun, WhatCannotWaitIsRefusedWithItsReason) {
  std::string why;
  EXPECT_TRUE(rewritten("  ld.global.u32 %r1, [%d1];\n  st.global.u32 [%d2], %r1;\n", why));
  for (const char* const body : {
           "  atom.global.add.u32 %r1, [%d1], 1;\n  st.global.u32 [%d2], %r1;\n",
           "  ld.volatile.global.u32 %r1, [%d1];\n  st.global.u32 [%d2], %r1;\n",
           "  ld.global.u32 %r1, [%d1];\n  st.global.u32 [%d1], %r1;\n",
           "  ld.global.u64 %d3, [%d1];\n  ld.global.u32 %r1, [%d3];\n  st.global.u32 [%d2], %r1;\n",
       }) {
    EXPECT_FALSE(rewritten(body, why)) << body;
    EXPECT_EQ(why, "none of its arrays is one that it only reads, by plain loads") << body;
  }
  EXPECT_FALSE(rewritten("  ld.global.u32 %r1, [%d1];\n  st.global.u32 [seen], %r1;\n", why));
  EXPECT_EQ(why, "it uses variables of its module");
  EXPECT_FALSE(rewritten("  ld.global.u32 %r1, [%d1];\n  st.global.u32 [%d2], %r1;\n", why, "6.0\n.target sm_60"));
  EXPECT_EQ(why, "its PTX is older than PTX 6.3 for sm_70");
}

}  // namespace
}  // namespace heddle::test
