// Test fixture: a fresh folder for the cache and for sources, removed afterwards.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "compile/compile.hpp"
#include "heddle/error.hpp"

namespace heddle::compile::testing {

// The device headers, written and precompiled once for all tests of the program.
class SharedHeaders {
 public:
  SharedHeaders() {
    std::string name = (std::filesystem::temp_directory_path() / "heddle-test-XXXXXX").string();
    if (::mkdtemp(name.data())) folder_ = name;
  }
  ~SharedHeaders() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  const std::filesystem::path& folder() const { return folder_; }
  static const SharedHeaders& get() {
    static const SharedHeaders headers;
    return headers;
  }

 private:
  std::filesystem::path folder_;
};

class FreshCache : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "heddle-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::filesystem::create_directories(folder_ / "cache");
    std::filesystem::permissions(folder_ / "cache", std::filesystem::perms::owner_all);
    std::filesystem::create_directory_symlink(SharedHeaders::get().folder(), folder_ / "cache/headers");
    ::setenv("HEDDLE_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : {"HEDDLE_CACHE_DIR", "HEDDLE_CLANG", "CPATH", "CPLUS_INCLUDE_PATH"}) ::unsetenv(name);
    std::error_code ignored;
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  // The message of the Error that compiling throws; fails the test when there is none or its code differs.
  static std::string error_of(const std::string& source, ErrorCode code, const CompileOptions& options = {}) {
    try {
      compile_cuda(source, "user.cu", options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "compiles, but must not:\n" << source;
    return {};
  }

  std::filesystem::path folder_;
};

}  // namespace heddle::compile::testing
