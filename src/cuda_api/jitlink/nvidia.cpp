#include "cuda_api/jitlink/nvidia.hpp"

#include <dlfcn.h>

#include <vector>

#include "base/fail.hpp"

namespace heddle::cuda_api {

struct NvidiaLink::Functions {
  int (*create)(void** link, unsigned count, const char** options);
  int (*destroy)(void** link);
  int (*add_data)(void* link, int type, const void* data, std::size_t size, const char* name);
  int (*complete)(void* link);
  int (*ptx_size)(void* link, std::size_t* size);
  int (*ptx)(void* link, char* to);
  int (*log_size)(void* link, std::size_t* size);
  int (*log)(void* link, char* to);
};

std::unique_ptr<NvidiaLink> NvidiaLink::make(const char* library, std::span<const char*> options) {
  auto* const original = reinterpret_cast<void* (*)(const char*)>(dlsym(RTLD_DEFAULT, "heddle_open_original"));
  void* const opened = original ? original(library) : nullptr;
  if (!opened) return nullptr;
  auto functions = std::make_unique<Functions>();
  bool complete = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(opened, name));
    complete = complete && function != nullptr;
  };
  find(functions->create, "nvJitLinkCreate");
  find(functions->destroy, "nvJitLinkDestroy");
  find(functions->add_data, "nvJitLinkAddData");
  find(functions->complete, "nvJitLinkComplete");
  find(functions->ptx_size, "nvJitLinkGetLinkedPtxSize");
  find(functions->ptx, "nvJitLinkGetLinkedPtx");
  find(functions->log_size, "nvJitLinkGetErrorLogSize");
  find(functions->log, "nvJitLinkGetErrorLog");
  if (!complete) return nullptr;
  std::vector<const char*> all(options.begin(), options.end());
  all.push_back("-ptx");
  void* link = nullptr;
  if (functions->create(&link, static_cast<unsigned>(all.size()), all.data()) != 0) return nullptr;
  return std::unique_ptr<NvidiaLink>(new NvidiaLink(std::move(functions), link));
}

NvidiaLink::NvidiaLink(std::unique_ptr<Functions> functions, void* link)
    : functions_(std::move(functions)), link_(link) {}

NvidiaLink::~NvidiaLink() { functions_->destroy(&link_); }

void NvidiaLink::fail(const char* what) {
  std::size_t size = 0;
  std::string log;
  if (functions_->log_size(link_, &size) == 0 && size > 0) {
    log.resize(size);
    functions_->log(link_, log.data());
    log.resize(log.find_last_not_of(std::string_view("\0\n ", 3)) + 1);
  }
  base::fail(ErrorCode::compile_error, "NVIDIA's linker could not {}: {}", what, log.empty() ? "no reason given" : log);
}

void NvidiaLink::add(int type, const void* data, std::size_t size, const char* name) {
  if (functions_->add_data(link_, type, data, size, name) != 0) fail("read code for link-time optimisation");
  ++added_;
}

std::string NvidiaLink::ptx() {
  std::size_t size = 0;
  if (functions_->complete(link_) != 0 || functions_->ptx_size(link_, &size) != 0) fail("link");
  std::string text(size, '\0');
  if (functions_->ptx(link_, text.data()) != 0) fail("give out PTX");
  text.resize(text.find('\0') == text.npos ? text.size() : text.find('\0'));
  return text;
}

}  // namespace heddle::cuda_api
