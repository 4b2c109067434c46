// The record of what devices did and why in that order: a JSON array of events for Perfetto and chrome://tracing, one
// row for each queue of each device, with an arrow for each dependence. src/trace reads it again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/replaced_file.hpp"
#include "base/thread_safety.hpp"
#include "base/trace.hpp"
#include "trace/record_file.hpp"

namespace heddle::trace {

// What is known of a task before its commands run. Tasks have the numbers that add() gives them, from 1 up.
struct RecordedTask {
  struct Use {
    std::uint64_t object = 0;  // the DAG's number
    bool modifies = false;
    std::uint64_t begin = 0, end = 0;
    std::string name = {};  // which is the trace's to find
  };
  std::vector<std::uint64_t> behind;  // tasks that it depends on
  std::vector<std::uint64_t> waits;   // those of them whose end its queue waits for by an event
  std::vector<Use> uses;              // of the DAG's objects
  bool by_streams = false;            // `behind` is the program's own order of streams and events
};

// If the name ends in .svg or .dot, the events are kept in a file without a name, and save() and the destructor make
// the picture or the graph of them. Otherwise the file is valid JSON at any time. It has what had ended when the
// devices were last idle, so that a process that is cut off leaves a record that can be read. A recorder that ends
// before anything was recorded or saved, as that of a runtime that could not be made, leaves the file as it was before.
// When a write has failed, as on a full disk, the file ends with what there was room for. The next event is lost, and
// so are all later ones, which cost nothing. Then every save() throws. So it is where the program closes the file and
// it is not at its path any more; nothing is written into what the program opens instead. Any thread.
class Recorder : public base::TraceSink {
 public:
  // Throws io_error when the file cannot be written, invalid_argument if one is there that is no timeline of Heddle's.
  Recorder(const std::filesystem::path& path, std::shared_ptr<const base::Clock> clock);
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void event(const base::TraceEvent& event) noexcept override;
  std::uint64_t task() const noexcept override;

  // A device's name, for readers.
  void name_device(const std::string& id, const std::string& name);
  // Uses of the DAG's object are of this array (any number that is the array's own), or of the array with `name`.
  void name_object(std::uint32_t object, std::uint64_t array);
  void name_object(std::uint32_t object, const std::string& name);

  // Records a task; returns its number. Commands that this thread puts into queues from here to end_task() belong to
  // it.
  std::uint64_t begin_task(RecordedTask task);
  void end_task();
  // For a task whose commands are submitted at several times: between pause_task() and resume_task(), by whatever
  // thread, other tasks may be recorded.
  struct Paused {
    std::uint64_t task = 0;
    bool has_commands = false;
  };
  Paused pause_task();
  void resume_task(const Paused& task);

  // Updates the file, or writes another one of the kind of its ending (.json, .svg, .dot), with the record so far.
  // `settled`: all tasks have run, so it waits, a second at most, for those that a device has not reported yet. Throws
  // io_error, also if the record itself could not be written; invalid_argument for another ending or another's file.
  void save(bool settled);
  void save(const std::filesystem::path& path, bool settled);

 private:
  enum class Form { json, svg, dot };
  struct Row {
    int device = 0, queue = 0;
  };
  struct Ended {
    Row row;
    std::uint64_t time_ns = 0;
  };
  static Form form_of(const std::filesystem::path& path);
  void add(const base::TraceEvent& end, std::uint64_t start_ns) HEDDLE_REQUIRES(mutex_);
  void add_arrows(const RecordedTask& task, const Row& row, std::uint64_t start_ns) HEDDLE_REQUIRES(mutex_);
  static std::string details(const base::TraceEvent& event, const RecordedTask* task);
  Row row_of(const base::TraceEvent& event) HEDDLE_REQUIRES(mutex_);
  void write(const std::string& entry) HEDDLE_REQUIRES(mutex_);
  void flush() HEDDLE_REQUIRES(mutex_);  // failures are remembered
  void keep_entries(std::size_t done) HEDDLE_REQUIRES(mutex_);
  // Whether events are still recorded: not after a write has failed. To be asked before each change.
  bool recording() HEDDLE_REQUIRES(mutex_);
  void stop() HEDDLE_REQUIRES(mutex_);
  void check_written() const HEDDLE_REQUIRES(mutex_);
  void give_up() noexcept;
  void lose_file() noexcept HEDDLE_REQUIRES(mutex_);
  bool is_in_place() const noexcept;
  void remove_empty() noexcept HEDDLE_REQUIRES(mutex_);
  void restore_ending() noexcept HEDDLE_REQUIRES(mutex_);
  std::string recorded() const HEDDLE_REQUIRES(mutex_);
  void write_form(Form form, const std::filesystem::path& path, const std::string& text) const;

  const std::shared_ptr<const base::Clock> clock_;
  const std::filesystem::path path_;
  const Form form_;
  mutable base::Mutex mutex_;
  std::condition_variable changed_;
  const bool is_new_;                                    // no file was there before
  base::ReplacedFile old_;                               // the one before, until this one is whole; used under mutex_
  RecordFile file_;                                      // used under mutex_
  bool used_ HEDDLE_GUARDED_BY(mutex_) = false;          // something was recorded, or save() was called
  int failure_ HEDDLE_GUARDED_BY(mutex_) = 0;            // errno of the last write to the file
  bool stopped_ HEDDLE_GUARDED_BY(mutex_) = false;       // events were lost, as there was no room for them
  std::uint64_t written_ HEDDLE_GUARDED_BY(mutex_) = 0;  // bytes of the file before the bracket that ends it
  bool empty_ HEDDLE_GUARDED_BY(mutex_) = true;
  std::string pending_ HEDDLE_GUARDED_BY(mutex_) = "[";
  std::map<std::string, int, std::less<>> devices_ HEDDLE_GUARDED_BY(mutex_);
  std::map<std::string, std::string, std::less<>> device_names_ HEDDLE_GUARDED_BY(mutex_);
  std::map<std::pair<int, std::uint64_t>, int> queues_ HEDDLE_GUARDED_BY(mutex_);
  // By device and command: when.
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> started_ HEDDLE_GUARDED_BY(mutex_);
  std::map<std::uint64_t, std::string> arrays_ HEDDLE_GUARDED_BY(mutex_);  // names, by their own numbers
  struct Object {
    std::string name;
    std::uint64_t number = 0;  // of no other, also of later ones
  };
  std::vector<Object> objects_ HEDDLE_GUARDED_BY(mutex_);
  std::uint64_t named_ HEDDLE_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, RecordedTask> tasks_ HEDDLE_GUARDED_BY(mutex_);  // that have not run
  // Tasks: what they depend on.
  std::map<std::uint64_t, std::vector<std::uint64_t>> without_commands_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<Ended> ended_ HEDDLE_GUARDED_BY(mutex_);  // by number; those that have not run have row 0
  std::uint64_t arrows_ HEDDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace heddle::trace
