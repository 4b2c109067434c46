// From kernels to code in memory: extraction, loading, and who compiles when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cpu/kernel_compiler.hpp"
#include "device/cpu/object.hpp"
#include "device/cpu/object_cache.hpp"
#include "device/cpu/object_loader.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait_until.hpp"

namespace heddle::device::cpu::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* source = R"ptx(
.version 7.0
.target sm_70
.address_size 64
.global .u32 used = 5;
.global .u32 unused;
.global .u64 through = used;
.visible .entry other() { ret; }
.func (.reg .u32 %out) helper(.reg .u32 %in) { mov.u32 %out, %in; ret; }
.func idle() { ret; }
.visible .entry kernel(.param .u64 p) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .global .u32 inner;
  .shared .align 4 .b8 window[64];
  ld.param.u64 %rd1, [p];
  ld.global.u64 %rd2, [through];
  ld.global.u32 %r1, [inner];
  call (%r2), helper, (%r1);
  st.global.u32 [%rd1], %r2;
  ret;
}
)ptx";

ptx::Module parse(const std::string& text) { return ptx::parse(text, "test.ptx"); }
std::uint32_t index_of(const ptx::Module& module, const char* name) {
  return static_cast<std::uint32_t>(module.find(name) - module.functions.data());
}

TEST(KernelUnit, HoldsWhatTheKernelNeedsAndNoMore) {
  const ptx::Module module = parse(source);
  const KernelUnit unit = extract_kernel(module, index_of(module, "kernel"));
  EXPECT_EQ(unit.module.functions[unit.kernel].name, "kernel");
  EXPECT_EQ(unit.module.functions.size(), 2u);
  EXPECT_NE(unit.module.find("helper"), nullptr);
  ASSERT_EQ(unit.module.variables.size(), 3u);
  std::vector<std::string> names;
  for (const ptx::Variable& variable : unit.module.variables) names.push_back(variable.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("used", "through", "kernel$inner"));
  // Every instruction leads back to where it stands.
  for (const ptx::Function& function : unit.module.functions)
    for (const ptx::Instruction& inst : function.body) {
      const KernelUnit::Place& place = unit.places.at(inst.where.line - 1);
      EXPECT_EQ(module.functions[place.function].body[place.instruction].opcode, inst.opcode);
    }
  EXPECT_EQ(extract_kernel(module, index_of(module, "other")).module.variables.size(), 0u);
}

// Another kernel may have stored the address that this one calls through.
TEST(KernelUnit, HoldsWhatACallThroughAnAddressMayMean) {
  const ptx::Module module = parse(R"ptx(
.version 7.0
.target sm_70
.address_size 64
.func (.param .b32 r) in_table(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; st.param.b32 [r], %a; ret; }
.func (.param .b32 r) by_name(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; st.param.b32 [r], %a; ret; }
.func (.param .b32 r) never_taken(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; st.param.b32 [r], %a; ret; }
.func (.param .b32 r) other_shape(.param .b64 x) { st.param.b32 [r], 0; ret; }
.global .align 8 .u64 table[2] = {in_table, other_shape};
.visible .entry stores(.param .u64 p) {
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u64 %rd2, by_name;
  st.global.u64 [%rd1], %rd2;
  ret;
}
.visible .entry calls(.param .u64 p) {
  .reg .b64 %rd<4>;
  .param .b32 x;
  .param .b32 y;
  ld.param.u64 %rd1, [p];
  ld.global.u64 %rd2, [%rd1];
  st.param.b32 [x], 1;
prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (y), %rd2, (x), prototype;
  ret;
}
)ptx");
  const KernelUnit unit = extract_kernel(module, index_of(module, "calls"));
  std::vector<std::string> names;
  for (const ptx::Function& function : unit.module.functions) names.push_back(function.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("calls", "in_table", "by_name"));
}

TEST(KernelUnit, FingerprintsFollowContentNotPlace) {
  const auto print = [](const std::string& text) {
    const ptx::Module module = parse(text);
    return KernelCompiler::fingerprint(extract_kernel(module, index_of(module, "kernel")));
  };
  const std::string text = source;
  const auto replaced = [&](const std::string& what, const std::string& by) {
    std::string changed = text;
    changed.replace(changed.find(what), what.size(), by);
    return changed;
  };
  EXPECT_EQ(print(text), print(replaced(".visible .entry other() { ret; }", "// gone\n\n\n")));
  EXPECT_EQ(print(text), print(replaced(".func idle() { ret; }", ".func idle() { trap; }")));
  EXPECT_NE(print(text), print(replaced("mov.u32 %out, %in;", "not.b32 %out, %in;")));
  EXPECT_NE(print(text), print(replaced("used = 5", "used = 6")));
}

TEST(ObjectLoader, RunsAndKnowsItsLines) {
  const auto code = load_object(adding_kernel(3, 7));
  const auto entry = reinterpret_cast<DirectEntry>(const_cast<void*>(code->entry));
  std::uint32_t value = 1;
  void* parameters[] = {&value};
  LaunchContext launch{};
  launch.parameters = reinterpret_cast<const std::uint8_t*>(parameters);
  entry(&launch, nullptr, 2, 7);
  EXPECT_EQ(value, 16u);
  std::set<unsigned> lines;
  for (unsigned i = 0; i < 40; ++i) lines.insert(code->line_of(static_cast<const char*>(code->entry) + i));
  EXPECT_TRUE(lines.contains(7)) << testing::PrintToString(lines);
  EXPECT_EQ(code->line_of(&value), 0u);
}

TEST(ObjectLoader, RefusesWhatIsNotComplete) {
  CompiledKernel kernel;
  const auto message = [&] {
    try {
      load_object(kernel);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  kernel.object =
      object_from_ir("declare void @elsewhere()\ndefine void @heddle_kernel() { call void @elsewhere() ret void }");
  EXPECT_THAT(message(), HasSubstr("elsewhere"));
  kernel.object = object_from_ir("define void @something() { ret void }");
  EXPECT_THAT(message(), HasSubstr("heddle_kernel"));
  kernel.object = {'n', 'o'};
  EXPECT_THAT(message(), HasSubstr("cannot be loaded"));
}

class Compiling : public testing::Test {
 protected:
  // A device that makes a fixed kernel for everything, and counts.
  std::unique_ptr<CpuDevice> device() {
    auto compiler = std::make_shared<KernelCompiler>(
        [this](const ptx::Module&, const ptx::Function& kernel, const CodegenOptions&) {
          ++compiled;
          if (kernel.name == "bad")
            throw Error(ErrorCode::unsupported, "line " + std::to_string(kernel.body[0].where.line));
          EXPECT_TRUE(tests::wait_until([this] { return asking >= threads; }));
          return adding_kernel(step, 3);
        },
        "test", std::make_unique<ObjectCache>(path, 1 << 30), std::make_shared<base::SteadyClock>());
    CpuOptions options;
    options.workers = 2;
    return std::make_unique<CpuDevice>(
        options,
        [compiler](const ptx::Module& source_module, std::uint32_t entry, const KernelUnit& unit,
                   const std::string& print, const CodegenOptions& codegen) {
          return compiler->compile(source_module, entry, unit, print, codegen);
        },
        nullptr);
  }
  std::uint32_t run(CpuDevice& on, Module& module, const char* kernel = "kernel") {
    std::uint32_t value = 0;
    const auto pointer = reinterpret_cast<std::uint64_t>(&value);
    const auto queue = on.queue({});
    queue->launch(module.function(kernel), {.grid = {10}}, {0, 10}, std::as_bytes(std::span(&pointer, 1)));
    queue->synchronize();
    return value;
  }
  const tests::TemporaryFolder folder;
  const fs::path& path = folder.path();
  std::atomic<int> compiled{0};
  int threads = 0;  // that ask before anything is compiled
  std::atomic<int> asking{0};
  unsigned step = 1;
  const std::shared_ptr<const ptx::Module> module = std::make_shared<ptx::Module>(parse(source));
};

TEST_F(Compiling, OnceForAllThreadsAndFromTheCacheAfterwards) {
  {
    const auto on = device();
    const auto loaded = on->load(module, {});
    threads = 6;
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i)
      all.emplace_back([&] {
        ++asking;
        loaded->function("kernel").prepare({});
      });
    for (std::thread& thread : all) thread.join();
    EXPECT_EQ(compiled, 1);
    EXPECT_EQ(run(*on, *loaded), 10u);
    loaded->function("kernel").prepare({64});
    EXPECT_EQ(compiled, 2);
  }
  step = 100;
  const auto on = device();
  const auto loaded = on->load(module, {});
  EXPECT_EQ(run(*on, *loaded), 10u);  // the code of before
  EXPECT_EQ(compiled, 2);
  on->load(module, {.check = true})->function("kernel").prepare({});
  EXPECT_EQ(compiled, 3);  // other options, other code
}

TEST_F(Compiling, DamagedEntriesAreCompiledAgain) {
  {
    const auto on = device();
    EXPECT_EQ(run(*on, *on->load(module, {})), 10u);
  }
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  for (int i = 0; i < 2; ++i) {
    const auto on = device();
    EXPECT_EQ(run(*on, *on->load(module, {})), 10u);
    EXPECT_EQ(compiled, 2);  // and replaced
  }
}

TEST_F(Compiling, ErrorsNameTheLinesOfTheSource) {
  const auto text = std::make_shared<ptx::Module>(
      parse(".version 7.0\n.target sm_70\n.address_size 64\n\n\n.visible .entry bad()\n{\n\n  ret;\n}\n"));
  const auto on = device();
  const auto loaded = on->load(text, {});
  for (int i = 0; i < 2; ++i) {
    try {
      loaded->function("bad").prepare({});
      FAIL();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "line 9");
    }
  }
}

TEST_F(Compiling, VariablesThatCannotBeAreRefusedWhenUsed) {
  const auto text = std::make_shared<ptx::Module>(parse(R"ptx(
.version 7.0
.target sm_70
.address_size 64
.extern .global .u32 elsewhere;
.shared .u32 window;
.global .u64 table[2] = {0, window};
.visible .entry good(.param .u64 p) { ret; }
.visible .entry uses_extern(.param .u64 p) { .reg .b32 %r<2>; ld.global.u32 %r1, [elsewhere]; ret; }
.visible .entry uses_table(.param .u64 p) { .reg .b64 %rd<2>; ld.global.u64 %rd1, [table]; ret; }
)ptx"));
  const auto on = device();
  const auto loaded = on->load(text, {});
  EXPECT_EQ(run(*on, *loaded, "good"), 10u);
  const auto message = [&](const char* kernel) {
    try {
      loaded->function(kernel).prepare({});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message("uses_extern"), HasSubstr("elsewhere"));
  EXPECT_THAT(message("uses_table"), testing::AllOf(HasSubstr("table"), HasSubstr("no fixed")));
}

}  // namespace
}  // namespace heddle::device::cpu::test
