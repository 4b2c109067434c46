// libnvJitLink, NVIDIA's linker of device code. The result, which programs call machine code and pass to the driver, is
// PTX. Heddle links PTX itself. Code for link-time optimisation goes to the library of NVIDIA's that the program
// brings, which makes PTX of it and needs no GPU.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "cuda_api/image/device_runtime.hpp"
#include "cuda_api/image/fat_binary.hpp"
#include "cuda_api/jitlink/nvidia.hpp"
#include "heddle/error.hpp"
#include "heddle/link.hpp"

namespace {

using heddle::Error;
using heddle::ErrorCode;

constexpr const char* library_name = HEDDLE_JITLINK_MAJOR == 12 ? "libnvJitLink.so.12" : "libnvJitLink.so.13";

// The numbers are NVIDIA's.
enum Result : int {
  success = 0,
  unrecognized_option = 1,
  missing_arch = 2,
  invalid_input = 3,
  ptx_compile = 4,
  internal = 6,
  unrecognized_input = 8
};
enum class Input : int { none, cubin, ptx, ltoir, fatbin, object, library, index, any = 10 };

}  // namespace

// What an nvJitLinkHandle points to. One thread at a time.
struct nvJitLink {
  struct Text {
    std::string text, name;
  };
  std::vector<Text> inputs;
  std::unique_ptr<heddle::cuda_api::NvidiaLink> optimising;  // with -lto, where the program has NVIDIA's library
  unsigned arch = 0;
  std::string linked, errors, notes;
};

namespace {

using Handle = nvJitLink*;

// Options without an effect on PTX, by how they begin.
constexpr std::string_view known_options[] = {"-arch=",
                                              "-maxrregcount=",
                                              "-time",
                                              "-verbose",
                                              "-lto",
                                              "-ptx",
                                              "-O",
                                              "-g",
                                              "-lineinfo",
                                              "-ftz=",
                                              "-prec-div=",
                                              "-prec-sqrt=",
                                              "-fma=",
                                              "-kernels-used=",
                                              "-variables-used=",
                                              "-optimize-unused-variables",
                                              "-Xptxas=",
                                              "-split-compile",
                                              "-jump-table-density=",
                                              "-no-cache",
                                              "-device-stack-protector",
                                              "-no-compress-fatbin",
                                              "-Xnvvm"};

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

std::string_view magic_of(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), std::min<std::size_t>(size, 4)};
}

constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";
constexpr std::string_view ltoir_magic = "\xED\x43\x4E\x7F";

// Code for link-time optimisation, or that only NVIDIA's library can look for it.
bool is_for_optimising(Input type, const void* data, std::size_t size) {
  return type == Input::ltoir || magic_of(data, size) == ltoir_magic;
}

[[noreturn]] void refuse(std::string_view what) {
  throw Error(ErrorCode::unsupported,
              fmt::format("the input is {}, and Heddle links PTX. Have the program compile to PTX, without link-time "
                          "optimisation (-lto, -dlto)",
                          what));
}

std::string text_of(const nvJitLink& link, Input type, const void* data, std::size_t size) {
  const std::string_view magic = magic_of(data, size);
  const auto bytes = std::as_bytes(std::span(static_cast<const char*>(data), size));
  if (heddle::cuda_api::is_device_runtime(bytes)) return std::string(heddle::cuda_api::device_runtime_ptx());
  // Not by the type: programs call the result of another link a cubin, and it is PTX.
  if (magic == elf_magic) refuse("machine code of a GPU (a cubin), or an object or a library of the host");
  if (type == Input::ltoir || magic == ltoir_magic)
    refuse("LTO-IR, NVIDIA's intermediate code for link-time optimisation");
  if (type == Input::object || type == Input::library || begins({static_cast<const char*>(data), size}, "!<arch>"))
    refuse("an object or a library of the host");
  if (type == Input::index) refuse("an index of code");
  if (heddle::cuda_api::is_fat_binary(bytes)) {
    const auto binary = heddle::cuda_api::read_fat_binary(bytes);
    const auto* const ptx = heddle::cuda_api::choose_ptx(binary, link.arch);
    if (!ptx) refuse("a fat binary without PTX for the architecture");
    return ptx->text;
  }
  const std::string_view text(static_cast<const char*>(data), size);
  return std::string(text.substr(0, text.find('\0')));
}

// Runs f(); what it throws is in the log of errors.
template <class F>
Result guarded(Handle link, F&& f) noexcept {
  if (!link) return invalid_input;
  try {
    return f();
  } catch (const Error& error) {
    link->errors += fmt::format("error: {}\n", error.what());
    return error.code() == ErrorCode::parse_error || error.code() == ErrorCode::compile_error ? ptx_compile
                                                                                              : invalid_input;
  } catch (const std::exception& error) {
    link->errors += fmt::format("error: {}\n", error.what());
    return internal;
  }
}

Result set_options(nvJitLink& link, unsigned count, const char** options) {
  for (unsigned i = 0; i < count; ++i) {
    const std::string_view option = options[i] ? options[i] : "";
    if (std::none_of(std::begin(known_options), std::end(known_options),
                     [&](std::string_view known) { return begins(option, known); }))
      return unrecognized_option;
    if (begins(option, "-arch=")) {
      const std::size_t digits = option.find_first_of("0123456789");
      for (std::size_t at = digits; at < option.size() && option[at] >= '0' && option[at] <= '9'; ++at)
        link.arch = 10 * link.arch + static_cast<unsigned>(option[at] - '0');
    }
  }
  return link.arch == 0 ? missing_arch : success;
}

Result create(Handle* handle, unsigned count, const char** options) {
  if (!handle || (count > 0 && !options)) return invalid_input;
  auto* const made = new nvJitLink;
  const Result result = set_options(*made, count, options);
  if (result != success) {
    delete made;
    return result;
  }
  const std::span<const char*> list(options, count);
  if (std::any_of(list.begin(), list.end(), [](std::string_view option) { return option == "-lto"; }))
    made->optimising = heddle::cuda_api::NvidiaLink::make(library_name, list);
  *handle = made;
  return success;
}

Result destroy(Handle* handle) {
  if (!handle || !*handle) return invalid_input;
  delete *handle;
  *handle = nullptr;
  return success;
}

Result add_data(Handle link, int type, const void* data, std::size_t size, const char* name) {
  return guarded(link, [&] {
    if (!data || size == 0 || type <= 0) return invalid_input;
    if (link->optimising && is_for_optimising(static_cast<Input>(type), data, size)) {
      link->optimising->add(type, data, size, name);
      return success;
    }
    std::string text = text_of(*link, static_cast<Input>(type), data, size);
    link->inputs.push_back({std::move(text), name && *name ? name : fmt::format("input {}", link->inputs.size() + 1)});
    return success;
  });
}

Result add_file(Handle link, int type, const char* file) {
  return guarded(link, [&] {
    if (!file) return invalid_input;
    const std::string bytes = heddle::base::read_file(file);
    return add_data(link, type, bytes.data(), bytes.size(), file);
  });
}

Result complete(Handle link) {
  return guarded(link, [&] {
    if (link->optimising && link->optimising->has_code()) link->inputs.push_back({link->optimising->ptx(), "LTO-IR"});
    if (link->inputs.empty()) throw Error(ErrorCode::invalid_argument, "a link of nothing");
    std::vector<heddle::PtxSource> sources;
    for (const nvJitLink::Text& input : link->inputs) sources.push_back({input.text, input.name});
    link->linked = heddle::link_ptx(sources);
    return success;
  });
}

// With the zero byte that ends the text, for programs that take it for a string.
Result size_of(Handle link, std::size_t* size, const std::string& text, bool linked) {
  return guarded(link, [&] {
    if (!size || (linked && text.empty())) return invalid_input;
    *size = text.size() + 1;
    return success;
  });
}

Result get(Handle link, void* to, const std::string& text, bool linked) {
  return guarded(link, [&] {
    if (!to || (linked && text.empty())) return invalid_input;
    std::memcpy(to, text.c_str(), text.size() + 1);
    return success;
  });
}

const std::string none;

Result linked_size(Handle link, std::size_t* size) { return size_of(link, size, link ? link->linked : none, true); }
Result linked(Handle link, void* to) { return get(link, to, link ? link->linked : none, true); }
Result errors_size(Handle link, std::size_t* size) { return size_of(link, size, link ? link->errors : none, false); }
Result errors(Handle link, char* to) { return get(link, to, link ? link->errors : none, false); }
Result notes_size(Handle link, std::size_t* size) { return size_of(link, size, link ? link->notes : none, false); }
Result notes(Handle link, char* to) { return get(link, to, link ? link->notes : none, false); }

}  // namespace

#define HEDDLE_JITLINK_API extern "C" __attribute__((visibility("default"))) int
#define HEDDLE_NAMED(name, parameters, call) \
  HEDDLE_JITLINK_API name parameters { return call; }
#define HEDDLE_JOIN(name, major, minor) __##name##_##major##_##minor
#define HEDDLE_MINOR(name, major, minor, parameters, call) \
  HEDDLE_NAMED(HEDDLE_JOIN(name, major, minor), parameters, call)
// The header makes each function a call of the one of its own version.
#define HEDDLE_VERSIONS(name, parameters, call)                 \
  HEDDLE_NAMED(name, parameters, call)                          \
  HEDDLE_MINOR(name, HEDDLE_JITLINK_MAJOR, 0, parameters, call) \
  HEDDLE_MINOR(name, HEDDLE_JITLINK_MAJOR, 1, parameters, call) \
  HEDDLE_MINOR(name, HEDDLE_JITLINK_MAJOR, 2, parameters, call) \
  HEDDLE_MINOR(name, HEDDLE_JITLINK_MAJOR, 3, parameters, call) \
  HEDDLE_MINOR(name, HEDDLE_JITLINK_MAJOR, 4, parameters, call) \
  HEDDLE_MINOR(name, HEDDLE_JITLINK_MAJOR, 5, parameters, call) \
  HEDDLE_MINOR(name, HEDDLE_JITLINK_MAJOR, 6, parameters, call) \
  HEDDLE_MINOR(name, HEDDLE_JITLINK_MAJOR, 7, parameters, call) \
  HEDDLE_MINOR(name, HEDDLE_JITLINK_MAJOR, 8, parameters, call) \
  HEDDLE_MINOR(name, HEDDLE_JITLINK_MAJOR, 9, parameters, call)

HEDDLE_VERSIONS(nvJitLinkCreate, (Handle * handle, unsigned count, const char** options),
                create(handle, count, options))
HEDDLE_VERSIONS(nvJitLinkDestroy, (Handle * handle), destroy(handle))
HEDDLE_VERSIONS(nvJitLinkAddData, (Handle link, int type, const void* data, std::size_t size, const char* name),
                add_data(link, type, data, size, name))
HEDDLE_VERSIONS(nvJitLinkAddFile, (Handle link, int type, const char* file), add_file(link, type, file))
HEDDLE_VERSIONS(nvJitLinkComplete, (Handle link), complete(link))
HEDDLE_VERSIONS(nvJitLinkGetLinkedCubinSize, (Handle link, std::size_t* size), linked_size(link, size))
HEDDLE_VERSIONS(nvJitLinkGetLinkedCubin, (Handle link, void* to), linked(link, to))
HEDDLE_VERSIONS(nvJitLinkGetLinkedPtxSize, (Handle link, std::size_t* size), linked_size(link, size))
HEDDLE_VERSIONS(nvJitLinkGetLinkedPtx, (Handle link, char* to), linked(link, to))
HEDDLE_VERSIONS(nvJitLinkGetErrorLogSize, (Handle link, std::size_t* size), errors_size(link, size))
HEDDLE_VERSIONS(nvJitLinkGetErrorLog, (Handle link, char* to), errors(link, to))
HEDDLE_VERSIONS(nvJitLinkGetInfoLogSize, (Handle link, std::size_t* size), notes_size(link, size))
HEDDLE_VERSIONS(nvJitLinkGetInfoLog, (Handle link, char* to), notes(link, to))

HEDDLE_JITLINK_API nvJitLinkVersion(unsigned* major, unsigned* minor) {
  constexpr unsigned newest_minor = HEDDLE_JITLINK_MAJOR == 12 ? 9 : 0;
  if (!major || !minor) return invalid_input;
  *major = HEDDLE_JITLINK_MAJOR;
  *minor = newest_minor;
  return success;
}
