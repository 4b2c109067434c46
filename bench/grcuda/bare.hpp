// Programs on the bare driver, as an expert writes them: arrays with pinned host memory, streams and events, and graphs
// built by hand.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cuda.hpp"
#include "shape.hpp"

namespace heddle::bench::grcuda {

// Memory of the GPU, and pinned memory of the host beside it where that is asked for.
class BareBytes {
 public:
  BareBytes(const Cuda& cuda, std::size_t bytes, bool on_host);
  ~BareBytes();
  BareBytes(const BareBytes&) = delete;
  BareBytes& operator=(const BareBytes&) = delete;
  Address address() const { return address_; }
  void* host() const { return host_; }
  std::size_t bytes() const { return bytes_; }

 private:
  const Cuda& cuda_;
  std::size_t bytes_;
  Address address_ = 0;
  void* host_ = nullptr;
};

enum class On { gpu, both };

template <class T>
class BareArray : public BareBytes {
 public:
  BareArray(const Cuda& cuda, std::size_t count, On on = On::gpu)
      : BareBytes(cuda, count * sizeof(T), on == On::both), count_(count) {}
  std::span<T> values() const { return {static_cast<T*>(host()), count_}; }  // on the host
  std::span<const std::byte> output() const { return std::as_bytes(std::span<const T>(values())); }

 private:
  std::size_t count_;
};

class BareModule {
 public:
  BareModule(const Cuda& cuda, const std::filesystem::path& ptx);
  ~BareModule();
  BareModule(const BareModule&) = delete;
  BareModule& operator=(const BareModule&) = delete;
  Function function(const char* name) const;

 private:
  const Cuda& cuda_;
  driver::ModuleHandle module_ = nullptr;
};

// A launch's arguments, and pointers to them as the driver wants them.
template <class... Arguments>
class Packed {
 public:
  explicit Packed(const Arguments&... arguments) : values_(plain(arguments)...) {
    std::apply([&](auto&... value) { pointers_ = {&value...}; }, values_);
  }
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;
  void** pointers() { return pointers_.data(); }

 private:
  static Address plain(const BareBytes& array) { return array.address(); }
  template <class T>
    requires std::is_arithmetic_v<T>
  static T plain(T value) {
    return value;
  }
  std::tuple<decltype(plain(std::declval<const Arguments&>()))...> values_;
  std::array<void*, sizeof...(Arguments)> pointers_;
};

// Streams by their numbers, made once, with events that are used again in every execution.
class Streams {
 public:
  Streams(const Cuda& cuda, unsigned count);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  void begin() { next_event_ = 0; }  // of an execution
  void copy_in(unsigned stream, const BareBytes& array);
  void copy_out(unsigned stream, const BareBytes& array);
  void fill(unsigned stream, const BareBytes& array, unsigned word = 0);  // every 32-bit word
  // A point behind what is in the stream so far.
  Event mark(unsigned stream);
  // What comes in `waiter` from here on waits for the point, or for what is in `waited` so far.
  void wait(unsigned waiter, Event point);
  void wait_for(unsigned waiter, unsigned waited) { wait(waiter, mark(waited)); }
  template <class... Arguments>
  void launch(unsigned stream, Function function, const Grid& grid, const Arguments&... arguments) {
    Packed<Arguments...> packed(arguments...);
    launch_packed(stream, function, grid, packed.pointers());
  }
  void synchronize();

  // What `program` puts into the streams, as a graph. The streams begin behind the first and end in it.
  Graph capture(const std::function<void()>& program);
  Stream first() const { return streams_[0]; }

 private:
  void launch_packed(unsigned stream, Function function, const Grid& grid, void** arguments);

  const Cuda& cuda_;
  std::vector<Stream> streams_;
  std::vector<Event> events_;
  std::size_t next_event_ = 0;
};

// A graph built node by node; each node names those it comes behind.
class GraphBuilder {
 public:
  using Behind = std::vector<Node>;
  explicit GraphBuilder(const Cuda& cuda);
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  Node copy_in(const BareBytes& array, const Behind& behind = {});
  Node copy_out(const BareBytes& array, const Behind& behind);
  Node fill(const BareBytes& array, unsigned word = 0, const Behind& behind = {});
  template <class... Arguments>
  Node launch(const Behind& behind, Function function, const Grid& grid, const Arguments&... arguments) {
    Packed<Arguments...> packed(arguments...);
    return launch_packed(behind, function, grid, packed.pointers());
  }
  Graph release();  // the caller's from now on

 private:
  Node copy(const BareBytes& array, bool in, const Behind& behind);
  Node launch_packed(const Behind& behind, Function function, const Grid& grid, void** arguments);

  const Cuda& cuda_;
  Graph graph_ = nullptr;
};

// A graph made ready to run many times.
class GraphRun {
 public:
  GraphRun(const Cuda& cuda, Graph graph);  // which ends here
  ~GraphRun();
  GraphRun(const GraphRun&) = delete;
  GraphRun& operator=(const GraphRun&) = delete;
  void launch(Stream stream) const;

 private:
  const Cuda& cuda_;
  Executable executable_ = nullptr;
};

}  // namespace heddle::bench::grcuda
