#include "programs/run/inspection.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <utility>

#include "base/fail.hpp"
#include "cuda_api/image/fat_binary.hpp"
#include "programs/closed_libraries.hpp"
#include "programs/run/elf.hpp"

namespace heddle::programs {
namespace {

namespace fs = std::filesystem;

bool is_of_cuda(const std::string& library) {
  return library.starts_with("libcudart.so") || library.starts_with("libcuda.so");
}

// What the program and its own libraries are made of.
struct Parts {
  bool has_kernels = false, needs_runtime = false, needs_driver = false, needs_heddle = false, has_ptx = false,
       sanitized = false;
  std::string first_with_kernels, closed_library;
  std::vector<unsigned> machine_code;
  std::vector<std::string> to_preload;
};

// Containers lie one behind the other, with zeros between them.
void read_images(Parts& parts, std::span<const std::byte> bytes) {
  constexpr std::size_t step = 8;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    if (!cuda_api::is_fat_binary(bytes.subspan(at))) continue;
    const cuda_api::FatBinary image = cuda_api::read_first_binary(bytes.subspan(at));
    parts.has_ptx = parts.has_ptx || !image.ptx.empty();
    parts.machine_code.insert(parts.machine_code.end(), image.machine_code.begin(), image.machine_code.end());
  }
}

class Reader {
 public:
  explicit Reader(Parts& parts) : parts_(parts) {
    const char* variable = std::getenv("LD_LIBRARY_PATH");
    for (std::string_view rest = variable ? variable : ""; !rest.empty();) {
      const auto end = std::min(rest.find(':'), rest.size());
      if (end > 0) environment_.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  void add(const fs::path& file, const ElfFile& elf) {
    std::error_code error;
    if (!seen_.insert(fs::canonical(file, error).string()).second) return;
    for (const std::string& name : elf.needed()) {
      parts_.needs_runtime = parts_.needs_runtime || name.starts_with("libcudart.so");
      parts_.sanitized = parts_.sanitized || name.starts_with("libasan.so") || name.starts_with("libtsan.so");
      parts_.needs_driver = parts_.needs_driver || name.starts_with("libcuda.so");
      parts_.needs_heddle = parts_.needs_heddle || name.starts_with("libheddle.so");
      if (parts_.closed_library.empty() && name.starts_with("lib") &&
          is_one_of(libraries_with_kernels, std::string_view(name).substr(3)))
        parts_.closed_library = name;
      if (is_of_cuda(name)) {
        note_preload(name, elf);
      } else {
        add_library(name, elf);
      }
    }
    if (!elf.has_section(".nvFatBinSegment")) return;
    if (!parts_.has_kernels) parts_.first_with_kernels = file.string();
    parts_.has_kernels = true;
    try {
      for (const char* section : {".nv_fatbin", "__nv_relfatbin"})
        if (elf.has_section(section)) read_images(parts_, elf.section(section));
    } catch (const Error&) {  // told when the program uses it
      parts_.has_ptx = true;
    }
  }

 private:
  // DT_RPATH goes before the environment, but not where there is DT_RUNPATH as well.
  void note_preload(const std::string& name, const ElfFile& elf) {
    if (!elf.runpath().empty()) return;
    std::error_code error;
    for (const std::string& folder : elf.rpath()) {
      if (!fs::exists(fs::path(folder) / name, error)) continue;
      if (std::find(parts_.to_preload.begin(), parts_.to_preload.end(), name) == parts_.to_preload.end())
        parts_.to_preload.push_back(name);
      return;
    }
  }

  // Libraries in folders that the program or the user names; the system's are not looked at.
  void add_library(const std::string& name, const ElfFile& of) {
    for (const std::vector<std::string>* folders : {&of.rpath(), &std::as_const(environment_), &of.runpath()}) {
      for (const std::string& folder : *folders) {
        const fs::path file = fs::path(folder) / name;
        std::error_code error;
        if (!fs::is_regular_file(file, error)) continue;
        if (const auto elf = ElfFile::read(file)) add(file, *elf);
        return;
      }
    }
  }

  Parts& parts_;
  std::vector<std::string> environment_;
  std::set<std::string> seen_;
};

std::string obstacle_of(const Parts& parts, const std::string& program) {
  if (!parts.has_kernels) return {};
  const std::string of = parts.first_with_kernels == program ? "" : " (in " + parts.first_with_kernels + ")";
  if (parts.has_ptx || parts.machine_code.empty()) return {};
  const std::set<unsigned> gpus(parts.machine_code.begin(), parts.machine_code.end());
  return fmt::format(
      "{} carries machine code for sm_{} only{}, and no PTX, which is what Heddle runs. Build it with PTX, as with "
      "nvcc -gencode arch=compute_80,code=compute_80",
      program, fmt::join(gpus, ", sm_"), of);
}

bool is_script(const fs::path& program) {
  std::ifstream file(program, std::ios::binary);
  char head[2] = {};
  file.read(head, sizeof head);
  return head[0] == '#' && head[1] == '!';
}

// Of what heddle cc compiles and heddle run does not.
bool is_source(const fs::path& program) {
  const std::string ending = program.extension().string();
  return ::access(program.c_str(), X_OK) != 0 &&
         (ending == ".c" || ending == ".cc" || ending == ".cpp" || ending == ".cxx" || ending == ".cuh");
}

}  // namespace

bool uses_cuda_alone(const fs::path& program) {
  const auto elf = ElfFile::read(program);
  if (!elf) return false;
  Parts parts;
  Reader(parts).add(program, *elf);
  return (parts.needs_runtime || parts.needs_driver || parts.has_kernels) && !parts.needs_heddle;
}

Inspection inspect_program(const fs::path& program) {
  std::error_code error;
  if (!fs::exists(program, error)) base::fail(ErrorCode::not_found, "there is no program {}", program.string());
  if (!fs::is_regular_file(program, error))
    base::fail(ErrorCode::invalid_argument, "{} is no program", program.string());
  if (is_source(program))
    base::fail(ErrorCode::invalid_argument,
               "{} is a source; heddle cc builds programs of it (and heddle run takes .cu files)", program.string());
  const bool can_run = ::access(program.c_str(), X_OK) == 0;
  if (!can_run && program.extension() == ".ptx")
    base::fail(ErrorCode::invalid_argument, "{} is PTX and no program; heddle launch runs its kernels",
               program.string());
  if (!can_run)
    base::fail(ErrorCode::invalid_argument, "{} is not executable (chmod +x makes it so)", program.string());
  if (is_script(program)) return {};
  const auto elf = ElfFile::read(program);
  if (!elf)
    base::fail(ErrorCode::invalid_argument,
               "{} is no program of this machine: `heddle run` takes programs, scripts and .cu files",
               program.string());
  Parts parts;
  Reader(parts).add(program, *elf);
  return {parts.to_preload, parts.sanitized, parts.needs_runtime, obstacle_of(parts, program.string()),
          parts.closed_library};
}

}  // namespace heddle::programs
