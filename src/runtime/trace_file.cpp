#include "runtime/trace_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fail.hpp"

namespace heddle::runtime {
namespace {

constexpr std::size_t most_pending = 1 << 16;
constexpr const char* ending = "\n]\n";

std::string json(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      made += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      made += fmt::format("\\u{:04x}", c);
    else
      made += c;
  }
  return made + '"';
}

// Devices' clocks start anywhere; Perfetto counts in microseconds.
std::string microseconds(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

std::string shape(const Dim3& d) { return fmt::format("\"{} x {} x {}\"", d.x, d.y, d.z); }

std::string details(const base::TraceEvent& event) {
  const std::string failed = event.failed ? ",\"failed\":true" : "";
  if (event.kind == base::TraceEvent::Kind::launch)
    return fmt::format("{{\"grid\":{},\"block\":{},\"first block\":{},\"blocks\":{}{}}}", shape(event.grid),
                       shape(event.block), event.blocks.begin, event.blocks.end - event.blocks.begin, failed);
  return fmt::format("{{\"bytes\":{}{}}}", event.bytes, failed);
}

}  // namespace

TraceFile::TraceFile(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (file_ < 0)
    base::fail(ErrorCode::io_error, "the timeline {} cannot be written: {}", path.string(), std::strerror(errno));
  pending_ = "[";
  flush_locked();
}

TraceFile::~TraceFile() {
  flush();
  ::close(file_);
}

void TraceFile::event(const base::TraceEvent& event) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    const std::pair<std::string, std::uint64_t> command(event.device, event.command);
    if (event.phase == base::TraceEvent::Phase::start) {
      started_[command] = {event.time_ns};
      return;
    }
    const auto found = started_.find(command);
    add(event, found == started_.end() ? Start{event.time_ns} : found->second);
    if (found != started_.end()) started_.erase(found);
  } catch (...) {  // an event that finds no memory is left out
  }
}

void TraceFile::flush() noexcept {
  const std::lock_guard lock(mutex_);
  flush_locked();
}

void TraceFile::add(const base::TraceEvent& end, const Start& start) {
  const Row row = row_of(end);
  const std::uint64_t length = end.time_ns > start.time_ns ? end.time_ns - start.time_ns : 0;
  const std::string_view kind = base::name(end.kind);
  write(
      fmt::format("{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{}}}",
                  json(end.name.empty() ? kind : end.name), kind, row.device, row.queue, microseconds(start.time_ns),
                  microseconds(length), details(end)));
}

TraceFile::Row TraceFile::row_of(const base::TraceEvent& event) {
  auto device = devices_.find(event.device);
  if (device == devices_.end()) {
    device = devices_.emplace(std::string(event.device), static_cast<int>(devices_.size()) + 1).first;
    write(fmt::format("{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{},\"args\":{{\"name\":{}}}}}", device->second,
                      json(event.device)));
  }
  const auto [queue, is_new] =
      queues_.emplace(std::pair(device->second, event.queue), static_cast<int>(queues_.size()) + 1);
  if (is_new)
    write(fmt::format(
        "{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"queue {}\"}}}}",
        device->second, queue->second, event.queue));
  return {device->second, queue->second};
}

void TraceFile::write(const std::string& entry) {
  pending_ += (empty_ ? "\n" : ",\n") + entry;
  empty_ = false;
  if (pending_.size() > most_pending) flush_locked();
}

// What is there is written over the bracket that ended the file, which moves on.
void TraceFile::flush_locked() noexcept {
  try {
    const std::string bytes = pending_ + ending;
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got =
          ::pwrite(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(written_ + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return;  // a full disk: the same bytes are tried again later
      done += static_cast<std::size_t>(got);
    }
    written_ += pending_.size();
    pending_.clear();
  } catch (...) {
  }
}

}  // namespace heddle::runtime
