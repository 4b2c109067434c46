#include "compile/nvrtc/find.hpp"

#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "base/fail.hpp"
#include "base/log.hpp"
#include "base/variables.hpp"
#include "compile/nvrtc/places.hpp"

namespace heddle::compile::nvrtc {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr unsigned machine = EM_AARCH64;
#else
constexpr unsigned machine = EM_X86_64;
#endif

// Every toolkit and Python package with the headers has this one, and packages without them have not.
constexpr const char* known_header = "cuda_fp16.h";
constexpr int newest_major = 19, oldest_major = 12;

std::optional<Library> as_library(const fs::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  std::error_code error;
  Library library{fs::absolute(path, error), fs::canonical(path, error), {}};
  if (error) return {};
  library.identity = library.real.string() + ' ' + std::to_string(info.st_size) + ' ' +
                     std::to_string(info.st_mtim.tv_sec) + '.' + std::to_string(info.st_mtim.tv_nsec);
  return library;
}

// Of this machine, not of a 32-bit one, and no text that tells a linker where the library is.
bool is_for_this_machine(const fs::path& file) {
  Elf64_Ehdr header{};
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;  // a pipe would be waited for
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(&header), sizeof header);
  return stream && std::string_view(reinterpret_cast<const char*>(header.e_ident), SELFMAG) == ELFMAG &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == machine;
}

Folders below(const Folders& roots, Folders (*folders_of)(const fs::path& root)) {
  Folders all;
  for (const fs::path& root : roots) {
    const Folders more = folders_of(root);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

// In one package or in one for each part, as NVIDIA names them since and before CUDA 13.
Folders library_folders_of_packages(const fs::path& nvidia) {
  Folders folders;
  for (const fs::path& whole : children(nvidia, "cu")) {
    const std::string name = whole.filename().string();
    if (name.size() > 2 && std::isdigit(static_cast<unsigned char>(name[2]))) folders.push_back(whole / "lib");
  }
  folders.push_back(nvidia / "cuda_nvrtc/lib");
  return folders;
}
Folders header_folders_of_packages(const fs::path& nvidia) {
  Folders folders = library_folders_of_packages(nvidia);
  folders.pop_back();
  for (fs::path& folder : folders) folder = folder.parent_path() / "include";
  folders.push_back(nvidia / "cuda_runtime/include");
  return folders;
}

struct Kind {
  const char* what;
  Folders (*folders)();
};

constexpr std::array library_kinds{
    Kind{"LD_LIBRARY_PATH", [] { return folders_in_variable("LD_LIBRARY_PATH"); }},
    Kind{"the loader's folders", loader_folders},
    Kind{"CUDA_HOME", [] { return below(root_in_variable("CUDA_HOME"), library_folders); }},
    Kind{"CUDA_PATH", [] { return below(root_in_variable("CUDA_PATH"), library_folders); }},
    Kind{"/usr/local/cuda*", [] { return below(toolkit_roots(), library_folders); }},
    Kind{"CONDA_PREFIX", [] { return below(root_in_variable("CONDA_PREFIX"), library_folders); }},
    Kind{"Python packages", [] { return below(python_packages(), library_folders_of_packages); }},
};

constexpr std::array header_kinds{
    Kind{"CUDA_HOME", [] { return below(root_in_variable("CUDA_HOME"), header_folders); }},
    Kind{"CUDA_PATH", [] { return below(root_in_variable("CUDA_PATH"), header_folders); }},
    Kind{"/usr/local/cuda*", [] { return below(toolkit_roots(), header_folders); }},
    Kind{"CONDA_PREFIX", [] { return below(root_in_variable("CONDA_PREFIX"), header_folders); }},
    Kind{"Python packages", [] { return below(python_packages(), header_folders_of_packages); }},
    Kind{"/usr/include", [] { return Folders{"/usr/include"}; }},
};

std::optional<Library> chosen_library(const char* chosen) {
  std::error_code ignored;
  std::optional<Library> found;
  if (fs::is_directory(chosen, ignored)) {
    found = newest_library_in(chosen);
    const Folders folders = library_folders(chosen);
    for (std::size_t i = 0; !found && i < folders.size(); ++i) found = newest_library_in(folders[i]);
  } else {
    found = as_library(chosen);
  }
  if (found) return found;
  base::fail(ErrorCode::invalid_argument,
             "HEDDLE_NVRTC is '{}', which is neither a library nor a folder with libnvrtc.so in it.", chosen);
}

bool has_headers(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / known_header, ignored);
}

// In the toolkit or the packages that the library is in, so that both have one version.
Folders beside(const Library& library) {
  Folders folders;
  for (const fs::path& file : {library.path, library.real}) {
    const fs::path folder = file.parent_path(), up = folder.parent_path();
    folders.push_back(up / "include");                              // TOOLKIT/lib64
    folders.push_back(up.parent_path() / "cuda_runtime/include");   // nvidia/cuda_nvrtc/lib
    folders.push_back(up.parent_path().parent_path() / "include");  // TOOLKIT/targets/MACHINE/lib
    for (const fs::path& each : header_folders(up)) folders.push_back(each);
  }
  std::erase(folders, fs::path("/usr/include"));  // the system's: last of all
  return folders;
}

std::optional<fs::path> first_header_folder() {
  for (const Kind& kind : header_kinds) {
    const Folders folders = kind.folders();
    const auto found = std::find_if(folders.begin(), folders.end(), has_headers);
    if (found != folders.end()) return *found;
  }
  return {};
}

std::optional<fs::path> main_header_folder(const Library& library) {
  const Folders first = beside(library);
  const auto own = std::find_if(first.begin(), first.end(), has_headers);
  if (own != first.end()) return *own;
  auto found = first_header_folder();
  if (found)
    base::log_info("the SDK's headers are not beside {}; those in {} are used", library.path.string(), found->string());
  return found;
}

// A folder of headers with the others that belong to it.
std::vector<std::string> with_parts(const std::optional<fs::path>& main) {
  if (!main) return {};
  std::vector<std::string> folders{main->lexically_normal().string()};
  std::error_code ignored;
  if (const fs::path parts = *main / "cccl"; fs::is_directory(parts, ignored)) {
    folders.push_back(parts.lexically_normal().string());
  }
  if (main->parent_path().filename() == "cuda_runtime") {
    for (const fs::path& package : children(main->parent_path().parent_path(), "cu")) {
      const fs::path more = package / "include";
      if (more != *main && fs::is_directory(more, ignored)) folders.push_back(more.lexically_normal().string());
    }
  }
  return folders;
}

std::string joined(const Folders& folders) {
  std::string text;
  for (const fs::path& folder : folders) text += (text.empty() ? "" : ", ") + folder.string();
  return text;
}

}  // namespace

// Each version of the library has its major version in its name (libnvrtc.so.12), 11.2 to 11.8 share one. Asking for
// each name is faster than reading a folder of thousands of libraries.
std::optional<Library> newest_library_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (int major = newest_major; major >= oldest_major; --major)
    names.push_back("libnvrtc.so." + std::to_string(major));
  names.insert(names.end(), {"libnvrtc.so.11.2", "libnvrtc.so.11.1", "libnvrtc.so.11.0", "libnvrtc.so"});
  for (const std::string& name : names) {
    auto library = as_library(folder / name);
    if (library && is_for_this_machine(library->path)) return library;
  }
  return {};
}

const char* const install_hint =
    "It comes with NVIDIA's CUDA toolkit, and as a Python package (pip install nvidia-cuda-nvrtc-cu12 "
    "nvidia-cuda-runtime-cu12), under NVIDIA's licence; HEDDLE_NVRTC names the library or its folder.";

std::optional<Library> look_for_library(std::vector<Place>& looked_at) {
  if (const auto chosen = base::text_variable("HEDDLE_NVRTC")) return chosen_library(chosen->c_str());
  looked_at.push_back({"HEDDLE_NVRTC", {}});
  for (const Kind& kind : library_kinds) {
    looked_at.push_back({kind.what, kind.folders()});
    for (const fs::path& folder : looked_at.back().folders) {
      if (auto found = newest_library_in(folder)) return found;
    }
  }
  return {};
}

Library find_library() {
  std::vector<Place> looked_at;
  if (auto found = look_for_library(looked_at)) return *found;
  throw Error(ErrorCode::not_found, not_found_text(looked_at));
}

std::vector<Place> library_places() {
  std::vector<Place> places;
  places.reserve(std::size(library_kinds));
  for (const Kind& kind : library_kinds) places.push_back({kind.what, kind.folders()});
  return places;
}

std::vector<std::string> find_headers(const Library& library) { return with_parts(main_header_folder(library)); }

std::vector<std::string> find_headers() { return with_parts(first_header_folder()); }

std::string not_found_text(const std::vector<Place>& looked_at) {
  return fmt::format("NVRTC was not found. No libnvrtc.so is in:\n{}{}", describe(looked_at), install_hint);
}

std::string describe(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places) {
    const bool is_variable =
        std::isupper(static_cast<unsigned char>(place.what[0])) && place.what.find('_') != place.what.npos;
    text += fmt::format("  {}: {}\n", place.what,
                        !place.folders.empty() ? joined(place.folders)
                        : is_variable          ? "not set"
                                               : "none");
  }
  return text;
}

}  // namespace heddle::compile::nvrtc
