// Where NVRTC and the SDK's headers are looked for, in folders made for the purpose.
#include "compile/nvrtc/find.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <map>

#include "compile/nvrtc/places.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::compile::nvrtc::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class FindNvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"HEDDLE_NVRTC", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "VIRTUAL_ENV",
                             "PYTHONPATH", "HOME", "PATH"}) {
      if (const char* value = ::getenv(name)) before_[name] = value;
      ::unsetenv(name);
    }
  }
  void TearDown() override {
    for (const char* name : set_) ::unsetenv(name);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  void set(const char* name, const std::string& value) {
    ::setenv(name, value.c_str(), 1);
    set_.push_back(name);
  }

  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  // A file that begins as a library of this machine does.
  fs::path library(const std::string& name) const {
    fs::create_directories((folder_.path() / name).parent_path());
    char header[64];
    std::ifstream("/proc/self/exe", std::ios::binary).read(header, sizeof header);
    std::ofstream(folder_.path() / name, std::ios::binary).write(header, sizeof header);
    return folder_.path() / name;
  }
  fs::path file(const std::string& name, const std::string& text = "") const {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << text;
    return folder_.path() / name;
  }
  // What is found in the folders of one kind of place.
  static fs::path found_in(const std::string& what) {
    for (const Place& place : library_places()) {
      if (place.what != what) continue;
      for (const fs::path& folder : place.folders) {
        if (const auto found = newest_library_in(folder)) return found->path;
      }
      return {};
    }
    ADD_FAILURE() << "there is no place " << what;
    return {};
  }
  std::vector<std::string> headers_for(const fs::path& path) const {
    return find_headers({path, fs::canonical(path), "an identity"});
  }

  tests::TemporaryFolder folder_;

 private:
  std::map<std::string, std::string> before_;
  std::vector<const char*> set_;
};

TEST_F(FindNvrtc, TheVariableNamesTheLibraryOrItsFolder) {
  std::vector<Place> looked_at;
  const fs::path twelve = library("toolkit/lib64/libnvrtc.so.12");
  for (const fs::path& chosen : {twelve, twelve.parent_path(), twelve.parent_path().parent_path()}) {
    set("HEDDLE_NVRTC", chosen.string());
    const auto found = look_for_library(looked_at);
    ASSERT_TRUE(found) << chosen;
    EXPECT_EQ(found->path, twelve);
  }
}

TEST_F(FindNvrtc, WhereTheVariableNamesNothingNothingElseCounts) {
  set("LD_LIBRARY_PATH", library("good/libnvrtc.so.12").parent_path().string());
  fs::create_directory(at("empty"));
  for (const char* chosen : {"nowhere", "empty"}) {
    set("HEDDLE_NVRTC", at(chosen));
    std::vector<Place> looked_at;
    try {
      look_for_library(looked_at);
      ADD_FAILURE() << chosen;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_THAT(error.what(), HasSubstr("HEDDLE_NVRTC is '" + at(chosen) + "', which is neither a library nor"));
    }
  }
}

TEST_F(FindNvrtc, TheLoadersVariableIsLookedAtFirst) {
  const fs::path first = library("b/libnvrtc.so.12");
  library("c/libnvrtc.so.13");
  set("LD_LIBRARY_PATH", at("a") + ":" + at("b") + ":relative:" + at("c"));
  set("CUDA_HOME", library("toolkit/lib64/libnvrtc.so.13").parent_path().parent_path().string());
  std::vector<Place> looked_at;
  EXPECT_EQ(look_for_library(looked_at)->path, first);
  EXPECT_EQ(looked_at.back().what, "LD_LIBRARY_PATH");
  EXPECT_THAT(looked_at.back().folders, ElementsAre(at("a"), at("b"), at("c")));
}

TEST_F(FindNvrtc, TheNewestLibraryOfAFolderThatCanBeOne) {
  library("libnvrtc.so");
  library("libnvrtc.so.11.2");
  EXPECT_EQ(newest_library_in(folder_.path())->path, at("libnvrtc.so.11.2"));
  library("libnvrtc.so.12");
  file("libnvrtc.so.13", "INPUT ( libnvrtc.so.13.0.88 )\n");
  fs::create_directory(at("libnvrtc.so.14"));
  fs::create_symlink(at("gone"), at("libnvrtc.so.15"));
  EXPECT_EQ(newest_library_in(folder_.path())->path, at("libnvrtc.so.12"));
  fs::remove(at("libnvrtc.so.13"));
  fs::create_symlink(at("libnvrtc.so.12"), at("libnvrtc.so.13"));
  const auto link = newest_library_in(folder_.path());
  EXPECT_EQ(link->path, at("libnvrtc.so.13"));
  EXPECT_EQ(link->real, fs::canonical(at("libnvrtc.so.12")));
}

TEST_F(FindNvrtc, AnotherLibraryHasAnotherIdentity) {
  library("libnvrtc.so.12");
  const std::string before = newest_library_in(folder_.path())->identity;
  EXPECT_EQ(newest_library_in(folder_.path())->identity, before);
  std::ofstream(at("libnvrtc.so.12"), std::ios::app) << "more";
  EXPECT_NE(newest_library_in(folder_.path())->identity, before);
}

TEST_F(FindNvrtc, ToolkitsHaveItInOneOfTheirFolders) {
  int at_place = 0;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"}) {
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
#ifndef __x86_64__
      if (std::string_view(folder).starts_with("targets")) continue;
#endif
      const std::string root = "toolkit" + std::to_string(at_place++);
      const fs::path made = library(root + "/" + folder + "/libnvrtc.so.12");
      set(variable, at(root));
      EXPECT_EQ(found_in(variable), made);
    }
  }
}

TEST_F(FindNvrtc, PythonPackages) {
  set("VIRTUAL_ENV", at("venv"));
  fs::create_directories(at("venv/lib/python3.9/site-packages/nvidia"));
  const fs::path twelve = library("venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  EXPECT_EQ(found_in("Python packages"), twelve);
  const fs::path thirteen = library("venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
  EXPECT_EQ(found_in("Python packages"), thirteen);
  set("VIRTUAL_ENV", "");
  set("PYTHONPATH", at("target"));
  const fs::path target = library("target/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  EXPECT_EQ(found_in("Python packages"), target);
  set("PYTHONPATH", "");
  set("HOME", at("home"));
  EXPECT_EQ(found_in("Python packages").string().find(at("home")), std::string::npos);
  const fs::path users = library("home/.local/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  EXPECT_EQ(found_in("Python packages"), users);
}

TEST_F(FindNvrtc, PackagesOfThePythonInTheSearchPath) {
  const fs::path real = library("system/lib/python3.13/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
  file("system/bin/python3");
  fs::create_directories(at("env/bin"));
  fs::create_symlink(at("system/bin/python3"), at("env/bin/python3"));
  set("PATH", at("nothing") + ":" + at("env/bin"));
  EXPECT_EQ(found_in("Python packages"), fs::canonical(real));
  const fs::path own = library("env/lib/python3.13/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
  EXPECT_EQ(found_in("Python packages"), own) << "the environment's own come first";
  const fs::path version = library("pyenv/versions/3.12.1/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
  file("pyenv/shims/python3");
  set("PATH", at("pyenv/shims"));
  EXPECT_EQ(found_in("Python packages"), version);
}

TEST_F(FindNvrtc, NewerVersionsOfFoldersComeFirst) {
  for (const char* name : {"cuda-9.0", "cuda-12.9", "cuda-13.0", "cuda-12.10", "cudb"}) fs::create_directory(at(name));
  file("cuda-99", "no folder");
  EXPECT_THAT(children(folder_.path(), "cuda-"),
              ElementsAre(at("cuda-13.0"), at("cuda-12.10"), at("cuda-12.9"), at("cuda-9.0")));
}

TEST_F(FindNvrtc, TheLoadersOwnFoldersAreThoseOfItsConfiguration) {
  const Folders folders = loader_folders();
  EXPECT_THAT(folders, Contains("/usr/lib"));
  for (const fs::path& folder : folders) EXPECT_TRUE(folder.is_absolute()) << folder;
}

TEST_F(FindNvrtc, WhereItIsNotThereEveryPlaceIsNamed) {
  set("CUDA_HOME", at("toolkit"));
  std::vector<Place> places = library_places();
  places.insert(places.begin(), {"HEDDLE_NVRTC", {}});
  const std::string text = not_found_text(places);
  EXPECT_THAT(text, HasSubstr("NVRTC was not found."));
  EXPECT_THAT(text, HasSubstr("\n  HEDDLE_NVRTC: not set\n"));
  EXPECT_THAT(text, HasSubstr("\n  LD_LIBRARY_PATH: not set\n"));
  EXPECT_THAT(text, HasSubstr("\n  CUDA_HOME: " + at("toolkit/lib64") + ", " + at("toolkit/lib") + ", "));
  EXPECT_THAT(text, HasSubstr("\n  CUDA_PATH: not set\n"));
  EXPECT_THAT(text, HasSubstr("\n  /usr/local/cuda*: /usr/local/cuda/lib64, "));
  EXPECT_THAT(text, HasSubstr("\n  the loader's folders: /"));
  EXPECT_THAT(text, HasSubstr("\n  Python packages: "));
  EXPECT_THAT(text, HasSubstr("pip install nvidia-cuda-nvrtc-cu12"));
}

TEST_F(FindNvrtc, HeadersBesideTheLibraryComeFirst) {
  set("CUDA_HOME", at("other"));
  file("other/include/cuda_fp16.h");
  const fs::path path = library("toolkit/lib64/libnvrtc.so.12");
  EXPECT_THAT(headers_for(path), ElementsAre(at("other/include")));
  file("toolkit/include/cuda_fp16.h");
  EXPECT_THAT(headers_for(path), ElementsAre(at("toolkit/include")));
  fs::create_directories(at("toolkit/include/cccl"));
  EXPECT_THAT(headers_for(path), ElementsAre(at("toolkit/include"), at("toolkit/include/cccl")));
}

TEST_F(FindNvrtc, HeadersOfATargetAndBehindALink) {
  const fs::path path = library("toolkit/targets/x86_64-linux/lib/libnvrtc.so.12");
  file("toolkit/targets/x86_64-linux/include/cuda_fp16.h");
  EXPECT_THAT(headers_for(path), ElementsAre(at("toolkit/targets/x86_64-linux/include")));
  fs::create_directories(at("links"));
  fs::create_symlink(path, at("links/libnvrtc.so.12"));
  EXPECT_THAT(headers_for(at("links/libnvrtc.so.12")),
              ElementsAre(fs::canonical(at("toolkit/targets/x86_64-linux/include")).string()));
}

TEST_F(FindNvrtc, HeadersOfPythonPackagesAreInManyFolders) {
  const fs::path path = library("site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  file("site/nvidia/cuda_nvrtc/include/nvrtc.h");
  file("site/nvidia/cuda_runtime/include/cuda_fp16.h");
  file("site/nvidia/curand/include/curand_kernel.h");
  file("site/nvidia/cuda_cccl/include/cuda/std/cstdint");
  file("site/nvidia/cudnn/lib/libcudnn.so");
  const std::vector<std::string> folders = headers_for(path);
  ASSERT_FALSE(folders.empty());
  EXPECT_EQ(folders[0], at("site/nvidia/cuda_runtime/include"));
  EXPECT_THAT(folders, Contains(at("site/nvidia/curand/include")));
  EXPECT_THAT(folders, Contains(at("site/nvidia/cuda_cccl/include")));
  EXPECT_THAT(folders, Not(Contains(HasSubstr("cudnn"))));
}

}  // namespace
}  // namespace heddle::compile::nvrtc::testing
