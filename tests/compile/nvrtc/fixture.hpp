// Test fixtures of NVRTC.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "../fixture.hpp"
#include "compile/nvrtc/find.hpp"
#include "compile/nvrtc/run.hpp"

namespace heddle::compile::nvrtc::testing {

using compile::testing::FreshCache;

class WithNvrtc : public FreshCache {
 protected:
  static CompileOptions with(CompileOptions options) {
    options.compiler = Compiler::nvrtc;
    return options;
  }
  CompileResult compile(const std::string& source, const CompileOptions& options = {}) const {
    return compile_cuda_detailed(source, "user.cu", with(options));
  }
  // The message of the Error that compiling throws; fails the test when there is none or its code differs.
  static std::string error_of(const std::string& source, ErrorCode code, const CompileOptions& options = {}) {
    return FreshCache::error_of(source, code, with(options));
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  CompileOptions folders(const std::vector<std::string>& names) const {
    CompileOptions options;
    for (const std::string& name : names) options.include_paths.push_back(at(name));
    return options;
  }
  void TearDown() override {
    for (const char* name : {"HEDDLE_COMPILER", "NVRTC_APPEND_FLAGS"}) ::unsetenv(name);
    FreshCache::TearDown();
  }
};

// With the machine's NVRTC; tests are left out where there is none.
class RealNvrtc : public WithNvrtc {
 protected:
  void SetUp() override {
    WithNvrtc::SetUp();
    std::vector<Place> looked_at;
    const auto library = look_for_library(looked_at);
    if (!library) GTEST_SKIP() << "NOT RUN: " << not_found_text(looked_at);
    library_ = *library;
  }
  // With the headers of the SDK, of a version that knows C++17's __has_include and modern cooperative groups.
  bool has_headers() const { return !find_headers(library_).empty(); }

  Library library_;
};

}  // namespace heddle::compile::nvrtc::testing
