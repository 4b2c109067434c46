#include "gpgpusim.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "base/file.hpp"

namespace heddle::bench::peers {
namespace {

namespace fs = std::filesystem;

// GPGPU-Sim appends the file's name to this variable in place, so it needs room behind its value.
char jit_path[4096] = "PTX_JIT_PATH=.";

// GPGPU-Sim knows kernels by the addresses of the functions of a CUDA program that stand for them.
char key[] = "kernel";

constexpr int host_to_device = 1, ptx_input = 1;  // cudaMemcpyHostToDevice, CU_JIT_INPUT_PTX
void** const first_binary = reinterpret_cast<void**>(1);

void check(int error, const char* what) {
  if (error != 0) throw std::runtime_error(fmt::format("GPGPU-Sim: {} gives error {}", what, error));
}

fs::path first_match(const fs::path& folder, const std::string& name) {
  if (fs::exists(folder))
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.path().filename() == name && !entry.is_symlink()) return entry.path();
  return {};
}

// Newer versions print how many barriers a kernel uses, which GPGPU-Sim takes for a mistake.
constexpr const char* ptxas_wrapper =
    "#!/bin/sh\n"
    "for ptxas in \"$(command -v ptxas)\" /usr/local/cuda/bin/ptxas; do\n"
    "  [ ! -x \"$ptxas\" ] || { \"$ptxas\" \"$@\" 2>&1 | grep -v 'Compile time' | sed 's/, used [0-9]* barriers//' "
    ">&2; "
    "exit 0; }\n"
    "done\n"
    "echo 'there is no ptxas' >&2; exit 1\n";

}  // namespace

template <class Function>
Function GpgpuSim::symbol(const char* name) const {
  void* found = ::dlsym(library_, name);
  if (!found) throw std::runtime_error(fmt::format("GPGPU-Sim's library lacks {}: is it version 4.2?", name));
  return reinterpret_cast<Function>(found);
}

GpgpuSim::GpgpuSim(const fs::path& library, const std::string& ptx, const std::string& kernel) {
  ::putenv(jit_path);
  ::setenv("CUDA_INSTALL_PATH", (fs::current_path() / "cuda").c_str(), 1);
  ::setenv("CUDA_LAUNCH_BLOCKING", "1", 1);  // waits asleep; cudaDeviceSynchronize() alone waits busily
  ::unsetenv("PTX_SIM_USE_PTX_FILE");
  library_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library_) throw std::runtime_error(::dlerror());
  check(symbol<int (*)(void*, int, const char*, unsigned, void*, void**)>("cuLinkAddFile_v2")(
            nullptr, ptx_input, ptx.c_str(), 0, nullptr, nullptr),
        "cuLinkAddFile");
  // The registers of kernels, by which it knows how many blocks an SM has: void
  // gpgpu_context::gpgpu_ptx_info_load_from_filename(const char*, unsigned).
  void* context = symbol<void* (*)()>("_Z13GPGPU_Contextv")();
  symbol<void (*)(void*, const char*, unsigned)>("_ZN13gpgpu_context33gpgpu_ptx_info_load_from_filenameEPKcj")(
      context, ptx.c_str(), 75);
  std::string name = kernel;
  symbol<void (*)(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*)>(
      "__cudaRegisterFunction")(first_binary, key, name.data(), kernel.c_str(), -1, nullptr, nullptr, nullptr, nullptr,
                                nullptr);
}

std::uint64_t GpgpuSim::zeros(std::size_t bytes) {
  const std::vector<std::byte> zero(bytes);
  return array(zero.data(), bytes);
}

std::uint64_t GpgpuSim::array(const void* data, std::size_t bytes) {
  void* address = nullptr;
  check(symbol<int (*)(void**, std::size_t)>("cudaMalloc")(&address, bytes), "cudaMalloc");
  check(symbol<int (*)(void*, const void*, std::size_t, int)>("cudaMemcpy")(address, data, bytes, host_to_device),
        "cudaMemcpy");
  return reinterpret_cast<std::uint64_t>(address);
}

void GpgpuSim::launch(const comparison::Kernel& kernel, const device::Function& function,
                      std::vector<std::byte> packed) {
  std::vector<void*> arguments;
  for (const auto& parameter : function.parameters()) arguments.push_back(packed.data() + parameter.offset);
  const auto config = kernel.config();
  check(symbol<int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                       void**)>("cuLaunchKernel")(
            key, static_cast<unsigned>(config.grid.x), static_cast<unsigned>(config.grid.y), 1,
            static_cast<unsigned>(config.block.x), static_cast<unsigned>(config.block.y), 1, 0, nullptr,
            arguments.data(), nullptr),
        "cuLaunchKernel");
  check(symbol<int (*)()>("cudaDeviceSynchronize")(), "cudaDeviceSynchronize");
}

fs::path prepare_gpgpusim(const fs::path& checkout, const fs::path& folder) {
  const fs::path library = first_match(checkout / "lib", "libcudart.so");
  const fs::path machine = checkout / "configs/tested-cfgs/SM75_RTX2060";
  if (library.empty() || !fs::exists(machine / "gpgpusim.config"))
    throw std::runtime_error(fmt::format("{} is no checkout of GPGPU-Sim 4.2 that has been built", checkout.string()));
  for (const auto& entry : fs::directory_iterator(machine)) fs::copy(entry.path(), folder);
  // PTX comes from a file, and not from the program.
  base::write_file_atomic(folder / "gpgpusim.config", std::string_view(base::read_file(machine / "gpgpusim.config") +
                                                                       "\n-gpgpu_ptx_use_cuobjdump 0\n"));
  fs::create_directories(folder / "cuda/bin");
  base::write_file_atomic(folder / "cuda/bin/ptxas", std::string_view(ptxas_wrapper));
  fs::permissions(folder / "cuda/bin/ptxas", fs::perms::owner_all);
  return library;
}

double printed_figure(const std::string& output, const std::string& name) {
  const std::size_t at = output.rfind("\n" + name + " = ");
  if (at == output.npos) throw std::runtime_error("GPGPU-Sim has not printed " + name);
  return std::stod(output.substr(at + name.size() + 4));
}

}  // namespace heddle::bench::peers
