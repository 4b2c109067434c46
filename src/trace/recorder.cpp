#include "trace/recorder.hpp"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/own_descriptor.hpp"
#include "base/size_limit_signal.hpp"
#include "base/system_limits.hpp"
#include "base/timeline_file.hpp"
#include "base/unfinished_file.hpp"
#include "trace/dot.hpp"
#include "trace/name.hpp"
#include "trace/picture.hpp"
#include "trace/timeline.hpp"

namespace heddle::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_pending = 1 << 16;
constexpr const char* ending = "\n]\n";
constexpr std::uint64_t patience_ns = 1'000'000'000;  // with a device that has not reported the end of what has ended

// What this thread puts commands in for; of one file at a time.
struct Putting {
  const Recorder* file = nullptr;
  std::uint64_t task = 0;
  bool asked = false;  // a device has
};
thread_local Putting putting;

std::string json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Devices' clocks start anywhere; Perfetto counts in microseconds.
std::string microseconds(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

std::string shape(const Dim3& d) { return fmt::format("\"{} x {} x {}\"", d.x, d.y, d.z); }

std::string list(const std::vector<std::uint64_t>& numbers) { return fmt::format("[{}]", fmt::join(numbers, ",")); }

[[noreturn]] void refuse(const fs::path& path, int error) {
  base::fail(ErrorCode::io_error, "the timeline {} cannot be written: {}", path.string(), base::system_message(error));
}

// A file that goes with its last user.
int open_nameless() {
  const std::string name = (fs::temp_directory_path() / "heddle-trace").string();
  return base::UnfinishedFile(name, name).take_descriptor();
}

int open_file(const fs::path& path, int flags, mode_t mode) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | flags, mode);
  if (file >= 0 || (errno != EACCES && errno != ENXIO && errno != EINVAL)) return base::above_standard_files(file);
  return base::above_standard_files(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode));
}

// A file of somebody's is not replaced.
fs::path checked(const fs::path& path) {
  base::refuse_to_replace_by_timeline("the timeline", path);
  return path;
}

// A file that this process has claimed (base/trace_claim.hpp) has a line end in it.
bool is_there(const fs::path& path) {
  std::error_code unknown;
  if (!fs::exists(fs::symlink_status(path, unknown))) return false;
  constexpr std::size_t some = 2;
  return !fs::is_regular_file(path, unknown) || base::read_beginning(path, some) != "\n";
}

// Also makes sure that a picture can be written in the end; until then the old one stays.
int open_record(const fs::path& path, bool named, base::ReplacedFile& old) {
  const int file = old.opened([&] { return open_file(path, named ? O_TRUNC : 0, old.mode()); });
  if (file < 0) {
    const int error = errno;
    old.set_failed(true);
    refuse(path, error);
  }
  if (named) return file;
  ::close(file);
  return open_nameless();
}

}  // namespace

Recorder::Form Recorder::form_of(const fs::path& path) {
  const std::string ending_of = path.extension().string();
  return ending_of == ".svg" ? Form::svg : ending_of == ".dot" ? Form::dot : Form::json;
}

Recorder::Recorder(const fs::path& path, std::shared_ptr<const base::Clock> clock)
    : clock_(std::move(clock)),
      path_(checked(path)),
      form_(form_of(path)),
      is_new_(!is_there(path)),
      old_(path, form_ == Form::json ? base::ReplacedFile::Old::moves : base::ReplacedFile::Old::stays),
      file_(open_record(path, form_ == Form::json, old_), form_ == Form::json ? path : fs::path()) {
  const base::Lock lock(mutex_);
  flush();
  if (failure_ == 0) return;
  remove_empty();
  check_written();
}

// Whether the file at the path is this recorder's. The program may have put another one there.
bool Recorder::is_in_place() const noexcept { return form_ != Form::json || file_.is_in_place(); }

// A new file in which there is nothing.
void Recorder::remove_empty() noexcept {
  std::error_code unknown;
  const bool empty = form_ == Form::json ? written_ <= 1 : fs::file_size(path_, unknown) <= 1;
  if (is_new_ && empty && is_in_place()) ::unlink(path_.c_str());
}

void Recorder::give_up() noexcept {
  const bool removes = is_new_ && is_in_place();
  old_.set_failed(true);
  old_.settle();
  if (removes) ::unlink(path_.c_str());
}

// The program has closed the file, and what is there now is its own. The old file comes back where nothing stands in
// its way.
void Recorder::lose_file() noexcept {
  failure_ = EBADF;
  std::error_code unknown;
  old_.set_failed(file_.is_in_place() || !fs::exists(fs::symlink_status(path_, unknown)));
}

Recorder::~Recorder() {
  try {
    bool used = false;
    {
      const base::Lock lock(mutex_);
      used = used_;
    }
    used ? save(true) : give_up();
  } catch (const std::exception&) {  // there is nobody left to tell
  }
}

std::uint64_t Recorder::task() const noexcept {
  if (putting.file != this) return 0;
  putting.asked = true;
  return putting.task;
}

// Frees what later events would have needed.
void Recorder::stop() {
  stopped_ = true;
  std::string().swap(pending_);
  started_.clear();
  arrays_.clear();
  std::vector<Object>().swap(objects_);
  tasks_.clear();
  without_commands_.clear();
  std::vector<Ended>().swap(ended_);
  changed_.notify_all();
}

bool Recorder::recording() {
  if (failure_ != 0 && !stopped_) stop();
  return !stopped_;
}

void Recorder::name_device(const std::string& id, const std::string& name) {
  const base::Lock lock(mutex_);
  device_names_[id] = name;
}

void Recorder::name_object(std::uint32_t object, std::uint64_t array) {
  std::string name;
  {
    const base::Lock lock(mutex_);
    if (stopped_) return;
    const auto known = arrays_.try_emplace(array, "array " + std::to_string(arrays_.size() + 1)).first;
    name = known->second;
  }
  name_object(object, name);
}

void Recorder::name_object(std::uint32_t object, const std::string& name) {
  const base::Lock lock(mutex_);
  if (stopped_) return;
  if (objects_.size() <= object) objects_.resize(object + 1);
  objects_[object] = {name, ++named_};
}

std::uint64_t Recorder::begin_task(RecordedTask task) {
  const base::Lock lock(mutex_);
  used_ = true;
  if (!recording()) {
    putting = {this, 0, false};
    return 0;
  }
  if (ended_.empty()) ended_.emplace_back();  // there is no task 0
  const std::uint64_t number = ended_.size();
  ended_.emplace_back();
  for (RecordedTask::Use& use : task.uses) {
    if (use.object >= objects_.size()) continue;
    use.name = objects_[use.object].name;
    use.object = objects_[use.object].number;
  }
  std::vector<std::uint64_t> behind;
  for (const std::uint64_t parent : task.behind) {
    const auto empty = without_commands_.find(parent);
    if (empty == without_commands_.end())
      behind.push_back(parent);
    else
      behind.insert(behind.end(), empty->second.begin(), empty->second.end());
  }
  std::sort(behind.begin(), behind.end());
  behind.erase(std::unique(behind.begin(), behind.end()), behind.end());
  task.behind = std::move(behind);
  tasks_[number] = std::move(task);
  putting = {this, number, false};
  return number;
}

void Recorder::end_task() {
  const Putting ended = std::exchange(putting, {});
  if (ended.file != this || ended.asked) return;
  const base::Lock lock(mutex_);
  const auto empty = tasks_.find(ended.task);
  if (empty == tasks_.end()) return;
  without_commands_[ended.task] = std::move(empty->second.behind);
  tasks_.erase(empty);
}

Recorder::Paused Recorder::pause_task() {
  const Putting paused = std::exchange(putting, {});
  return {paused.task, paused.asked};
}

void Recorder::resume_task(const Paused& task) { putting = {this, task.task, task.has_commands}; }

void Recorder::event(const base::TraceEvent& event) noexcept {
  try {
    const base::Lock lock(mutex_);
    used_ = true;
    if (!recording()) return;
    const std::pair<std::string, std::uint64_t> command(event.device, event.command);
    if (event.phase == base::TraceEvent::Phase::start) {
      started_[command] = event.time_ns;
      return;
    }
    const auto found = started_.find(command);
    add(event, found == started_.end() ? event.time_ns : found->second);
    if (found != started_.end()) started_.erase(found);
    // Whoever cuts the process off from here on leaves a record of what has ended.
    if (started_.empty()) flush();
    changed_.notify_all();
  } catch (...) {  // an event that finds no memory is left out
  }
}

std::string Recorder::details(const base::TraceEvent& event, const RecordedTask* task) {
  std::string text = fmt::format("{{\"kind\":\"{}\"", name_of(event.kind, event.way));
  if (event.kind == base::TraceEvent::Kind::launch)
    text += fmt::format(",\"kernel\":{},\"grid\":{},\"block\":{},\"shared\":{},\"first block\":{},\"blocks\":{}",
                        json(event.name), shape(event.grid), shape(event.block), event.shared, event.blocks.begin,
                        event.blocks.end - event.blocks.begin);
  else
    text += fmt::format(",\"bytes\":{}", event.bytes);
  if (event.failed) text += ",\"failed\":true";
  if (event.task != 0) text += fmt::format(",\"task\":{}", event.task);
  if (task != nullptr) {
    text += ",\"behind\":" + list(task->behind);
    if (!task->waits.empty()) text += ",\"waits\":" + list(task->waits);
    text += task->by_streams ? ",\"order\":\"streams\"" : ",\"order\":\"data\"";
    std::string uses;
    for (const RecordedTask::Use& use : task->uses)
      uses += fmt::format("{}[{},\"{}\",{},{},{}]", uses.empty() ? "" : ",", json(use.name),
                          use.modifies ? "modifies" : "reads", use.begin, use.end, use.object);
    if (!uses.empty()) text += ",\"uses\":[" + uses + "]";
  }
  return text + "}";
}

void Recorder::add(const base::TraceEvent& end, std::uint64_t start_ns) {
  const Row row = row_of(end);
  const std::uint64_t length = end.time_ns > start_ns ? end.time_ns - start_ns : 0;
  const auto known = tasks_.find(end.task);
  const RecordedTask* const task = known == tasks_.end() ? nullptr : &known->second;
  write(fmt::format(
      "{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{}}}",
      json(end.name.empty() ? std::string(name_of(end.kind, end.way)) : short_name(std::string(end.name))),
      base::name(end.kind), row.device, row.queue, microseconds(start_ns), microseconds(length), details(end, task)));
  if (task) add_arrows(*task, row, start_ns);
  if (end.task != 0 && end.task < ended_.size()) ended_[end.task] = {row, start_ns + length};
  if (task) tasks_.erase(known);
}

// From the end of the one, a nanosecond before it so that it is still within, to the begin of the other.
void Recorder::add_arrows(const RecordedTask& task, const Row& row, std::uint64_t start_ns) {
  for (const std::uint64_t parent : task.behind) {
    if (parent >= ended_.size() || ended_[parent].row.queue == 0) continue;  // it had no commands
    const Ended& from = ended_[parent];
    ++arrows_;
    constexpr const char* form =
        "{{\"name\":\"dependence\",\"cat\":\"dependence\",\"ph\":\"{}\",{}\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{}}}";
    write(fmt::format(form, "s", "", arrows_, from.row.device, from.row.queue,
                      microseconds(from.time_ns - std::min<std::uint64_t>(from.time_ns, 1))));
    write(fmt::format(form, "f", "\"bp\":\"e\",", arrows_, row.device, row.queue, microseconds(start_ns)));
  }
}

Recorder::Row Recorder::row_of(const base::TraceEvent& event) {
  auto device = devices_.find(event.device);
  if (device == devices_.end()) {
    device = devices_.emplace(std::string(event.device), static_cast<int>(devices_.size()) + 1).first;
    write(fmt::format("{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{},\"args\":{{\"name\":{}}}}}", device->second,
                      json(event.device)));
    if (const auto name = device_names_.find(event.device); name != device_names_.end())
      write(fmt::format("{{\"name\":\"process_labels\",\"ph\":\"M\",\"pid\":{},\"args\":{{\"labels\":{}}}}}",
                        device->second, json(name->second)));
  }
  const auto [queue, is_new] =
      queues_.emplace(std::pair(device->second, event.queue), static_cast<int>(queues_.size()) + 1);
  if (is_new)
    write(fmt::format(
        "{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"queue {}\"}}}}",
        device->second, queue->second, event.queue));
  return {device->second, queue->second};
}

void Recorder::write(const std::string& entry) {
  pending_ += (empty_ ? "\n" : ",\n") + entry;
  empty_ = false;
  if (pending_.size() > most_pending && failure_ == 0) flush();
}

// What is there is written over the bracket that ended the file, which moves on. On a full disk the file ends after the
// last entry for which there is room. The rest is tried again by save(), unless events have been lost by then.
void Recorder::flush() {
  if (stopped_) return;
  if (!file_.is_open()) return lose_file();
  const base::WithoutSizeLimitSignal only_fails;
  const std::string bytes = pending_ + ending;
  std::size_t done = 0;
  failure_ = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pwrite(file_.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(written_ + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      failure_ = got < 0 ? errno : ENOSPC;
      old_.set_failed(true);
      keep_entries(done);
      if (written_ != 0) restore_ending();
      return;
    }
    done += static_cast<std::size_t>(got);
  }
  written_ += pending_.size();
  pending_.clear();
  old_.set_failed(false);
}

// Those that are whole in the first `done` bytes of what is pending, with room for the bracket behind them.
void Recorder::keep_entries(std::size_t done) {
  const std::size_t length = std::strlen(ending);
  const std::size_t kept = done < length ? pending_.npos : pending_.rfind(",\n", done - length);
  if (kept == pending_.npos) return;
  written_ += kept;
  pending_.erase(0, kept);
}

void Recorder::restore_ending() noexcept {
  const base::WithoutSizeLimitSignal only_fails;
  const std::size_t length = std::strlen(ending);
  if (::pwrite(file_.get(), ending, length, static_cast<off_t>(written_)) == static_cast<ssize_t>(length))
      [[maybe_unused]]
    const int cut = ::ftruncate(file_.get(), static_cast<off_t>(written_ + length));
}

void Recorder::check_written() const {
  if (failure_ != 0 && file_.get() < 0)
    base::fail(ErrorCode::io_error,
               "the timeline {} cannot be written: the program has closed the file, and it cannot be opened again",
               path_.string());
  if (failure_ != 0) refuse(path_, failure_);
}

// All that is in the file.
std::string Recorder::recorded() const {
  std::string text(written_ + std::strlen(ending), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::pread(file_.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      base::fail(ErrorCode::io_error, "the timeline {} cannot be read again: {}", path_.string(),
                 got < 0 ? std::strerror(errno) : "it is shorter than what was written");
    done += static_cast<std::size_t>(got);
  }
  return text;
}

void Recorder::write_form(Form form, const fs::path& path, const std::string& text) const {
  if (form == Form::json) return base::write_users_file(path, text);
  const Timeline timeline = parse_timeline(text, path_.string());
  base::write_users_file(path, form == Form::svg ? picture(timeline) : dot(timeline));
}

void Recorder::save(bool settled) { save(path_, settled); }

void Recorder::save(const fs::path& path, bool settled) {
  base::Lock lock(mutex_);
  used_ = true;
  const std::uint64_t deadline = clock_->now_ns() + patience_ns;
  while (settled && !(started_.empty() && tasks_.empty()) && clock_->now_ns() < deadline)
    clock_->wait_until(lock, changed_, deadline);
  flush();
  if (failure_ != 0) remove_empty();
  check_written();
  std::error_code error;
  const bool own = path == path_ || fs::equivalent(path, path_, error);
  if (own && form_ == Form::json) return old_.settle();  // also for processes that end without destructors
  const Form form = form_of(path);
  if (form == Form::json && path.extension() != ".json")
    base::fail(
        ErrorCode::invalid_argument,
        "{}: a timeline is written as .json (for Perfetto and chrome://tracing), .svg (a picture) or .dot (a graph)",
        path.string());
  if (!own) checked(path);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error))
    base::fail(ErrorCode::io_error, "the timeline {} cannot be written: there is no folder {}", path.string(),
               folder.string());
  const std::string text = recorded();
  lock.unlock();
  try {
    write_form(form, path, text);
  } catch (const std::exception&) {
    if (own && is_new_) ::unlink(path_.c_str());  // until here it has nothing in it
    throw;
  }
  lock.lock();
  if (own) old_.settle();
}

}  // namespace heddle::trace
