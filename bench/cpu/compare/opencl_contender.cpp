#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "base/file.hpp"
#include "compare/contender.hpp"
#include "compare/host_memory.hpp"
#include "support/folders.hpp"

namespace heddle::bench {
namespace {

void check(cl_int code, const char* what) {
  if (code != CL_SUCCESS) throw std::runtime_error(fmt::format("OpenCL: {} failed with code {}", what, code));
}

template <typename T, cl_int (*release)(T)>
struct Release {
  using pointer = T;
  void operator()(T object) const { release(object); }
};
template <typename T, cl_int (*release)(T)>
using Owned = std::unique_ptr<T, Release<T, release>>;
using Context = Owned<cl_context, clReleaseContext>;
using Queue = Owned<cl_command_queue, clReleaseCommandQueue>;
using Program = Owned<cl_program, clReleaseProgram>;
using Kernel = Owned<cl_kernel, clReleaseKernel>;
using Buffer = Owned<cl_mem, clReleaseMemObject>;

// Rounding as CUDA does it by default; OpenCL's own default lets division and square root be less exact.
constexpr const char* exact_division = "-cl-fp32-correctly-rounded-divide-sqrt";

struct Access {
  cl_device_id device = nullptr;
  Context context;
  Queue queue;
  bool exact_division = false;
};

class OpenClContender final : public Contender {
 public:
  OpenClContender(const Case& test, const Access& access) : test_(test), access_(access), memory_(test) {
    build();
    for (std::size_t i = 0; i < test.arrays.size(); ++i) {
      cl_int code = 0;
      buffers_.emplace_back(clCreateBuffer(access.context.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                           test.arrays[i].initial.size(), memory_.array(i), &code));
      check(code, "clCreateBuffer");
    }
  }
  ~OpenClContender() override { clFinish(access_.queue.get()); }
  std::string name() const override { return "PoCL"; }
  // The device uses the host's memory itself.
  void reset() override { memory_.reset(test_); }
  void run() override {
    for (const Step& step : test_.steps) launch(step);
    check(clFinish(access_.queue.get()), "clFinish");
  }
  std::span<const std::byte> read(std::size_t array) override {
    return {memory_.array(array), test_.arrays[array].initial.size()};
  }

 private:
  void build() {
    const std::filesystem::path file = source_root() / "bench/cpu/kernels" / (test_.name + ".cl");
    const std::string source = base::read_file(file);
    const char* text = source.c_str();
    const std::size_t length = source.size();
    cl_int code = 0;
    program_.reset(clCreateProgramWithSource(access_.context.get(), 1, &text, &length, &code));
    check(code, "clCreateProgramWithSource");
    if (clBuildProgram(program_.get(), 1, &access_.device, access_.exact_division ? exact_division : "", nullptr,
                       nullptr) != CL_SUCCESS) {
      std::array<char, 16384> log{};
      clGetProgramBuildInfo(program_.get(), access_.device, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
      throw std::runtime_error(fmt::format("OpenCL: {} does not compile:\n{}", file.string(), log.data()));
    }
    for (const Step& step : test_.steps) {
      if (kernels_.contains(step.kernel)) continue;
      kernels_[step.kernel].reset(clCreateKernel(program_.get(), step.kernel.c_str(), &code));
      check(code, "clCreateKernel");
    }
  }
  void set_argument(cl_kernel kernel, cl_uint index, const StepArgument& value) const {
    if (const auto* array = std::get_if<ArrayIndex>(&value)) {
      const cl_mem buffer = buffers_[array->index].get();
      check(clSetKernelArg(kernel, index, sizeof buffer, &buffer), "clSetKernelArg");
    } else if (const auto* number = std::get_if<float>(&value)) {
      check(clSetKernelArg(kernel, index, sizeof *number, number), "clSetKernelArg");
    } else {
      check(clSetKernelArg(kernel, index, sizeof(std::int32_t), &std::get<std::int32_t>(value)), "clSetKernelArg");
    }
  }
  void launch(const Step& step) {
    const cl_kernel kernel = kernels_.at(step.kernel).get();
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
      set_argument(kernel, static_cast<cl_uint>(i), step.arguments[i]);
    }
    const std::array<std::size_t, 3> group = {step.block.x, step.block.y, step.block.z};
    const std::array<std::size_t, 3> all = {std::size_t{step.grid.x} * step.block.x,
                                            std::size_t{step.grid.y} * step.block.y,
                                            std::size_t{step.grid.z} * step.block.z};
    const cl_uint dimensions = all[2] > 1 ? 3 : all[1] > 1 ? 2 : 1;
    check(clEnqueueNDRangeKernel(access_.queue.get(), kernel, dimensions, nullptr, all.data(), group.data(), 0, nullptr,
                                 nullptr),
          "clEnqueueNDRangeKernel");
  }

  const Case& test_;
  const Access& access_;
  HostMemory memory_;
  Program program_;
  std::map<std::string, Kernel> kernels_;
  std::vector<Buffer> buffers_;
};

class Pocl final : public OpenClDevice {
 public:
  Pocl(cl_device_id device, std::string version) : version_(std::move(version)) {
    cl_int code = 0;
    access_.device = device;
    access_.context.reset(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code));
    check(code, "clCreateContext");
    access_.queue.reset(clCreateCommandQueue(access_.context.get(), device, 0, &code));
    check(code, "clCreateCommandQueue");
    cl_device_fp_config precision = 0;
    check(clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof precision, &precision, nullptr),
          "clGetDeviceInfo");
    access_.exact_division = (precision & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  }
  std::string description() const override { return version_; }
  std::unique_ptr<Contender> contender(const Case& test) override {
    return std::make_unique<OpenClContender>(test, access_);
  }

 private:
  Access access_;
  std::string version_;
};

}  // namespace

std::unique_ptr<OpenClDevice> find_pocl(std::string& why_not) {
  std::array<cl_platform_id, 16> platforms{};
  cl_uint count = 0;
  if (clGetPlatformIDs(platforms.size(), platforms.data(), &count) != CL_SUCCESS) count = 0;
  for (cl_uint i = 0; i < std::min<cl_uint>(count, platforms.size()); ++i) {
    std::array<char, 512> version{};
    cl_device_id device = nullptr;
    if (clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, version.size(), version.data(), nullptr) != CL_SUCCESS)
      continue;
    const std::string text = version.data();
    const std::size_t start = text.find("PoCL");
    if (start == std::string::npos) continue;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) != CL_SUCCESS) continue;
    return std::make_unique<Pocl>(device, text.substr(start, text.find("  ", start) - start));
  }
  why_not = "no OpenCL platform of this machine is PoCL (pocl-opencl-icd)";
  return nullptr;
}

}  // namespace heddle::bench
