#include "compile/nvrtc/places.hpp"

#include <glob.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "base/file.hpp"

namespace heddle::compile::nvrtc {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr const char* machine_folders[] = {"sbsa-linux", "aarch64-linux"};
constexpr const char* multiarch = "aarch64-linux-gnu";
#else
constexpr const char* machine_folders[] = {"x86_64-linux"};
constexpr const char* multiarch = "x86_64-linux-gnu";
#endif

constexpr int deepest_include = 8;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

void append(Folders& to, const Folders& more) { to.insert(to.end(), more.begin(), more.end()); }

// Numbers in names count as numbers: python3.13 is newer than python3.9.
bool is_newer(const std::string& a, const std::string& b) {
  std::size_t i = 0, k = 0;
  const auto digit = [](const std::string& text, std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
  };
  while (i < a.size() && k < b.size()) {
    if (digit(a, i) && digit(b, k)) {
      std::size_t end_a = i, end_b = k;
      while (digit(a, end_a)) ++end_a;
      while (digit(b, end_b)) ++end_b;
      if (end_a - i != end_b - k) return end_a - i > end_b - k;
      if (const int order = a.compare(i, end_a - i, b, k, end_b - k); order != 0) return order > 0;
      i = end_a, k = end_b;
    } else if (a[i] != b[k]) {
      return a[i] > b[k];
    } else {
      ++i, ++k;
    }
  }
  return a.size() - i > b.size() - k;
}

std::string without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

void read_loader_configuration(const fs::path& file, Folders& folders, int depth);

void include_configurations(const std::string& pattern, const fs::path& base, Folders& folders, int depth) {
  const std::string whole = pattern.starts_with('/') ? pattern : (base / pattern).string();
  glob_t found{};
  if (::glob(whole.c_str(), 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      read_loader_configuration(found.gl_pathv[i], folders, depth + 1);
    }
  }
  ::globfree(&found);
}

void read_loader_configuration(const fs::path& file, Folders& folders, int depth) {
  const auto text = base::read_file_if_there(file);
  if (!text || depth > deepest_include) return;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string line = without_spaces(rest.substr(0, rest.substr(0, end).find('#')));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with("include ") || line.starts_with("include\t")) {
      include_configurations(without_spaces(std::string_view(line).substr(8)), file.parent_path(), folders, depth);
    } else if (line.starts_with('/')) {
      folders.emplace_back(line.substr(0, line.find_first_of(" \t=")));
    }
  }
}

// Where the packages of the Python below `prefix` are.
Folders sites_below(const fs::path& prefix) {
  Folders sites;
  for (const char* library : {"lib", "lib64"}) {
    for (const fs::path& python : children(prefix / library, "python3")) {
      for (const char* name : {"site-packages", "dist-packages"}) sites.push_back(python / name);
    }
  }
  return sites;
}

// Of every python3 in the search path: as it is named there, which is how virtual environments tell themselves, and
// where its links lead. Those of pyenv are scripts that choose among its versions.
Folders sites_of_search_path() {
  Folders sites;
  for (const fs::path& folder : folders_in_variable("PATH")) {
    std::error_code error;
    const fs::path program = folder / "python3";
    if (!fs::exists(program, error)) continue;
    if (folder.filename() == "shims") {
      for (const fs::path& version : children(folder.parent_path() / "versions", ""))
        append(sites, sites_below(version));
      continue;
    }
    append(sites, sites_below(folder.parent_path()));
    const fs::path real = fs::canonical(program, error).parent_path().parent_path();
    if (!error && real != folder.parent_path()) append(sites, sites_below(real));
  }
  return sites;
}

Folders sites() {
  Folders all;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    for (const fs::path& root : root_in_variable(name)) append(all, sites_below(root));
  }
  append(all, folders_in_variable("PYTHONPATH"));
  append(all, sites_of_search_path());
  if (const fs::path home = variable("HOME"); home.is_absolute()) append(all, sites_below(home / ".local"));
  append(all, sites_below("/usr/local"));
  all.emplace_back("/usr/lib/python3/dist-packages");
  append(all, sites_below("/usr"));
  return all;
}

}  // namespace

Folders children(const fs::path& parent, const std::string& start) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    if (name.starts_with(start) && it->is_directory(ignored)) names.push_back(name);
  }
  std::sort(names.begin(), names.end(), is_newer);
  Folders folders;
  for (const std::string& name : names) folders.push_back(parent / name);
  return folders;
}

Folders folders_in_variable(const char* name) {
  Folders folders;
  for (std::string_view rest = variable(name); !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (fs::path folder(rest.substr(0, end)); folder.is_absolute()) folders.push_back(folder);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

Folders loader_folders() {
  Folders folders;
  read_loader_configuration("/etc/ld.so.conf", folders, 0);
  for (const char* root : {"/lib", "/usr/lib"}) folders.push_back(fs::path(root) / multiarch);
  for (const char* root : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) folders.emplace_back(root);
  Folders once;
  for (const fs::path& folder : folders) {
    if (std::find(once.begin(), once.end(), folder) == once.end()) once.push_back(folder);
  }
  return once;
}

Folders root_in_variable(const char* name) {
  if (const fs::path root = variable(name); root.is_absolute()) return {root};
  return {};
}

Folders toolkit_roots() {
  Folders roots{"/usr/local/cuda"};
  append(roots, children("/usr/local", "cuda-"));
  return roots;
}

Folders python_packages() {
  Folders folders;
  std::error_code ignored;
  for (const fs::path& site : sites()) {
    const fs::path folder = site / "nvidia";
    if (fs::is_directory(folder, ignored) && std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(folder);
    }
  }
  return folders;
}

Folders library_folders(const fs::path& root) {
  Folders folders{root / "lib64", root / "lib"};
  for (const char* machine : machine_folders) folders.push_back(root / "targets" / machine / "lib");
  return folders;
}

Folders header_folders(const fs::path& root) {
  Folders folders{root / "include"};
  for (const char* machine : machine_folders) folders.push_back(root / "targets" / machine / "include");
  return folders;
}

}  // namespace heddle::compile::nvrtc
