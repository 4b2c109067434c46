// NVIDIA's own libnvJitLink, for code that only it can read: LTO-IR.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace heddle::cuda_api {

// A link that makes PTX. One thread at a time.
class NvidiaLink {
 public:
  // With the library of this name that the program would have got without Heddle; null without such a
  // library, or if it refuses the options.
  static std::unique_ptr<NvidiaLink> make(const char* library, std::span<const char*> options);
  ~NvidiaLink();
  NvidiaLink(const NvidiaLink&) = delete;
  NvidiaLink& operator=(const NvidiaLink&) = delete;

  // Throw compile_error with the library's log.
  void add(int type, const void* data, std::size_t size, const char* name);
  bool has_code() const { return added_ > 0; }
  std::string ptx();

 private:
  struct Functions;
  NvidiaLink(std::unique_ptr<Functions> functions, void* link);
  [[noreturn]] void fail(const char* what);

  const std::unique_ptr<Functions> functions_;
  void* link_;
  std::size_t added_ = 0;
};

}  // namespace heddle::cuda_api
