// Programs may set a locale in which 1.5 is written 1,5 and 1000 is written 1.000. What Heddle reads and writes is the
// same in all of them.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <clocale>
#include <filesystem>
#include <locale>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "heddle/heddle.hpp"
#include "support/temporary_folder.hpp"
#include "trace/picture.hpp"
#include "trace/timeline.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr const char* ptx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 a)
{
  .reg .u64 %p, %q; .reg .u32 %t; .reg .f64 %d;
  ld.param.u64 %p, [a];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %q, %t, 8;
  add.u64 %p, %p, %q;
  ld.global.f64 %d, [%p];
  mul.f64 %d, %d, 1.25;
  add.f64 %d, %d, 1000.5e-1;
  st.global.f64 [%p], %d;
  ret;
}
)";

class Locale : public testing::Test {
 protected:
  void SetUp() override {
    const std::string made = (folder_.path() / "de_DE.UTF-8").string();
    if (std::system(("localedef -i de_DE -f UTF-8 '" + made + "' >/dev/null 2>&1").c_str()) != 0)
      GTEST_SKIP() << "there is no localedef with the sources of locales";
    ::setenv("LOCPATH", folder_.path().c_str(), 1);
    ::setenv("HEDDLE_CACHE_DIR", (folder_.path() / "cache").c_str(), 1);
    base::write_file_atomic(folder_.path() / "m.toml",
                            std::string_view("based-on = \"tesla-g80\"\n[clocks]\nsm-mhz = 1512.5\n"));
  }
  void TearDown() override { set("C"); }
  static void set(const char* name) {
    ASSERT_NE(std::setlocale(LC_ALL, name), nullptr);
    std::locale::global(std::locale(name));
  }
  std::string launch(const std::string& device) const {
    Runtime runtime({.devices = device});
    const Module module = runtime.load_ptx(ptx, "scale.ptx");
    Array<double> values(runtime.array<double>(std::vector<double>(32, 3)));
    runtime.launch(module.kernel("scale"), {.grid = {1}, .block = {32}}, values);
    return std::to_string(static_cast<long>(values.read()[31] * 1e6));
  }
  // Everything with numbers in it.
  std::vector<std::string> all() const {
    check_policy("lithos:slip=1.5");
    const std::string report = (folder_.path() / "r.json").string();
    std::vector<std::string> texts;
    for (const std::string& device : {std::string("interp"), std::string("cpu"),
                                      "sim:" + (folder_.path() / "m.toml").string() + ",report=" + report})
      texts.push_back(launch(device));
    texts.push_back(base::read_file(report));
    texts.push_back(trace::picture(trace::parse_timeline(
        R"([{"ph":"X","cat":"launch","name":"k","ts":1000.5,"dur":12345.25,"pid":1,"tid":1}])", "t.json")));
    return texts;
  }

  const tests::TemporaryFolder folder_;
};

TEST_F(Locale, ChangesNoNumber) {
  const std::vector<std::string> plain = all();
  EXPECT_EQ(plain[0], "103800000");
  fs::remove_all(folder_.path() / "cache");
  fs::remove(folder_.path() / "r.json");
  set("de_DE.UTF-8");
  char text[16];
  std::snprintf(text, sizeof text, "%.1f", 1.5);
  ASSERT_STREQ(text, "1,5");
  EXPECT_EQ(all(), plain);
}

}  // namespace
}  // namespace heddle
