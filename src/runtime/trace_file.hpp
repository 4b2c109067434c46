// A timeline of what devices did, as Perfetto and chrome://tracing read it: a JSON array of events, one row for each
// queue of each device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/trace.hpp"

namespace heddle::runtime {

// The file is valid JSON after every flush(), and in the meantime holds what was written until then. Any thread.
class TraceFile : public base::TraceSink {
 public:
  // Throws io_error when the file cannot be written.
  explicit TraceFile(const std::filesystem::path& path);
  ~TraceFile() override;
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void event(const base::TraceEvent& event) noexcept override;
  void flush() noexcept;

 private:
  struct Row {
    int device = 0, queue = 0;
  };
  struct Start {
    std::uint64_t time_ns = 0;
  };
  void add(const base::TraceEvent& end, const Start& start);
  Row row_of(const base::TraceEvent& event);
  void write(const std::string& entry);
  void flush_locked() noexcept;

  std::mutex mutex_;
  int file_ = -1;
  std::uint64_t written_ = 0;  // bytes of the file before the bracket that ends it
  bool empty_ = true;
  std::string pending_;
  std::map<std::string, int, std::less<>> devices_;
  std::map<std::pair<int, std::uint64_t>, int> queues_;
  std::map<std::pair<std::string, std::uint64_t>, Start> started_;  // by device and command
};

}  // namespace heddle::runtime
