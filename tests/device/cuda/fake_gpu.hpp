// A CUDA device on a driver that does nothing and keeps a log (tests/cuda_api/fake_driver.cpp); CTest sets
// LD_LIBRARY_PATH to its folder.
#pragma once

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "device/cuda/cuda.hpp"
#include "device/device.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"

namespace heddle::device::cuda {

inline std::string with_header(const std::string& text) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + text;
}

class FakeGpu : public testing::Test {
 protected:
  void SetUp() override {
    const char* path = std::getenv("LD_LIBRARY_PATH");
    if (!path || !std::strstr(path, "fake_driver")) GTEST_SKIP() << "RUN BY CTEST ONLY: it sets LD_LIBRARY_PATH";
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    ASSERT_NE(driver, nullptr) << dlerror();
    take_ = reinterpret_cast<const char* (*)()>(dlsym(driver, "fake_driver_take_log"));
    ASSERT_NE(take_, nullptr);
    context_ = reinterpret_cast<void** (*)()>(dlsym(driver, "fake_driver_context"));
    context_questions_ = reinterpret_cast<unsigned (*)()>(dlsym(driver, "fake_driver_context_questions"));
    records_ = reinterpret_cast<unsigned (*)()>(dlsym(driver, "fake_driver_records"));
    ASSERT_TRUE(context_ && context_questions_ && records_);
    device_ = make_cuda_device({});
    queue_ = device_->queue({});
    log();
  }
  std::vector<std::string> log() {
    std::istringstream text(take_());
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  std::shared_ptr<Module> load(const std::string& text, const LoadOptions& options = {}) {
    return device_->load(std::make_shared<ptx::Module>(ptx::parse(text, "fake.ptx")), options);
  }
  void parts(Module& module, const char* kernel, const Dim3& grid, std::uint64_t part, std::uint64_t argument = 7) {
    queue_->launch_parts(module.function(kernel), {.grid = grid, .block = {32}}, {0, grid.count()}, part,
                         std::as_bytes(std::span(&argument, 1)));
  }
  // What comes behind the colon of a launch.
  static std::string words(const std::string& line) { return line.substr(line.find(':') + 1); }
  static std::string stream(const std::string& line) {
    const std::size_t at = line.find(" in ") + 4;
    return line.substr(at, line.find_first_of(" :", at) - at);
  }

  const char* (*take_)() = nullptr;
  void** (*context_)() = nullptr;              // the calling thread's
  unsigned (*context_questions_)() = nullptr;  // how often the driver was asked for it since
  unsigned (*records_)() = nullptr;            // how many events were recorded since
  std::unique_ptr<Device> device_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace heddle::device::cuda
