#include "support/ptx_test.hpp"
#include "support/places.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace heddle::test {
namespace {

class CaseTest : public testing::Test {
 public:
  CaseTest(const PtxCase& c, const DeviceFactory& factory, std::string skipped)
      : case_(c), factory_(factory), skipped_(std::move(skipped)) {}
  void TestBody() override {
    if (!skipped_.empty()) GTEST_SKIP() << skipped_;
    const std::string problem = check_case(case_, run_case(case_, factory_));
    EXPECT_TRUE(problem.empty()) << case_.file.string() << ":" << case_.line << ": " << problem;
  }

 private:
  const PtxCase& case_;
  const DeviceFactory& factory_;
  std::string skipped_;
};

}  // namespace

int run_ptx_tests(int argc, char** argv, const std::string& device, const DeviceFactory& factory,
                  const std::function<std::string(const PtxCase&)>& skip) {
  testing::InitGoogleTest(&argc, argv);
  std::vector<PtxCase> cases;
  try {
    cases = read_folder(tests::test_data() / "data" / "run");
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  if (cases.empty()) {
    std::fprintf(stderr, "no test cases found under %s/data/run\n", tests::test_data().c_str());
    return 1;
  }
  for (const PtxCase& c : cases) {
    if (!c.runs_on(device)) continue;
    const std::string full = c.name();
    const std::size_t dot = full.find('.');
    testing::RegisterTest(
        full.substr(0, dot).c_str(), full.substr(dot + 1).c_str(), nullptr, nullptr, c.file.string().c_str(),
        static_cast<int>(c.line),
        [&c, &factory, why = skip ? skip(c) : ""]() -> testing::Test* { return new CaseTest(c, factory, why); });
  }
  return RUN_ALL_TESTS();
}

}  // namespace heddle::test
