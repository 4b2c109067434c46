// The C interface in a process with a limit of memory (ulimit -v, ulimit -d): a status and a sentence, and never its
// end.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "heddle/heddle.h"

namespace heddle::tests {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

constexpr int worked = 0, out_of_memory = 3, wrong = 4;

struct Limit {
  bool of_data = false;
  std::uint64_t kib = 0;  // more than there is
};

void set(const Limit& limit) {
  unsigned long long all = 0, data = 0;  // pages
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%llu %*u %*u %*u %*u %llu", &all, &data) != 2) ::_exit(wrong);
    std::fclose(file);
  }
  const rlim_t pages = limit.of_data ? data : all;
  const rlim_t bytes = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (limit.kib << 10);
  const rlimit wanted{bytes, bytes};
  if (::setrlimit(limit.of_data ? RLIMIT_DATA : RLIMIT_AS, &wanted) != 0) ::_exit(wrong);
}

[[noreturn]] void end(heddle_status status, const Limit& limit) {
  const std::string message = heddle_last_error();
  const bool says_it = message.find(limit.of_data ? "(ulimit -d)" : "(ulimit -v)") != message.npos;
  if (status != HEDDLE_OUT_OF_MEMORY || !says_it)
    std::fprintf(stderr, "%s: %s\n", heddle_status_name(status), message.c_str());
  ::_exit(status == HEDDLE_OUT_OF_MEMORY && says_it ? out_of_memory : wrong);
}

[[noreturn]] void work(const char* devices, const Limit& limit) {
  set(limit);
  heddle_runtime_options options{};
  options.size = sizeof options;
  options.devices = devices;
  heddle_runtime* runtime = nullptr;
  if (const heddle_status status = heddle_runtime_create(&options, &runtime); status != HEDDLE_OK) end(status, limit);
  heddle_module* module = nullptr;
  if (const heddle_status status = heddle_module_load_ptx(
          runtime, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }", "k", &module);
      status != HEDDLE_OK)
    end(status, limit);
  heddle_array* array = nullptr;
  if (const heddle_status status = heddle_array_create(runtime, 64 << 10, &array); status != HEDDLE_OK)
    end(status, limit);
  heddle_array_free(array);
  heddle_module_free(module);
  heddle_runtime_free(runtime);
  ::_exit(worked);
}

// Each limit in a process of its own.
class CMemoryLimit : public testing::TestWithParam<const char*> {};

TEST_P(CMemoryLimit, IsAStatusAndASentence) {
  if (sanitized) GTEST_SKIP() << "sanitizers need address space";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  int refused = 0;
  std::vector<Limit> limits;
  for (const std::uint64_t kib : {0, 500, 2'000, 5'000, 12'000, 60'000, 150'000, 210'000, 4'000'000})
    limits.push_back({false, kib});
  for (const std::uint64_t kib : {0, 1'000, 5'000, 12'000, 30'000, 4'000'000}) limits.push_back({true, kib});
  for (const Limit& limit : limits) {
    EXPECT_EXIT(
        work(GetParam(), limit),
        [&](int status) {
          const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
          refused += code == out_of_memory ? 1 : 0;
          return code == worked || (code == out_of_memory && limit.kib != 4'000'000);
        },
        "")
        << limit.kib << " KiB" << (limit.of_data ? " of data" : "");
  }
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, CMemoryLimit, testing::Values("cpu", "interp"));

}  // namespace
}  // namespace heddle::tests
