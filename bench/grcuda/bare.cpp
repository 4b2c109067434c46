#include "bare.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/file.hpp"

namespace heddle::bench::grcuda {
namespace {

// A node copies so much at most: widths and distances of rows are limited to 2 GiB by the driver.
constexpr std::size_t most_of_a_node = std::size_t{1} << 30;

// Pages as Heddle's pinned memory has them.
void* map(std::size_t bytes) {
  void* const mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  madvise(mapping, bytes, MADV_HUGEPAGE);
  return mapping;
}

}  // namespace

BareBytes::BareBytes(const Cuda& cuda, std::size_t bytes, bool on_host) : cuda_(cuda), bytes_(bytes) {
  cuda.check(cuda.allocate(&address_, bytes, cuda.stream()), "allocating memory of the GPU");
  cuda.check(cuda.stream_synchronize(cuda.stream()), "allocating memory of the GPU");
  if (!on_host) return;
  host_ = map(bytes);
  cuda.check(cuda.host_register(host_, bytes, driver::host_portable), "pinning host memory");
}

BareBytes::~BareBytes() {
  cuda_.release(address_, cuda_.stream());
  if (host_ == nullptr) return;
  cuda_.host_unregister(host_);
  munmap(host_, bytes_);
}

BareModule::BareModule(const Cuda& cuda, const std::filesystem::path& ptx) : cuda_(cuda) {
  const std::string text = base::read_file(ptx);
  cuda.check(cuda.module_load(&module_, text.c_str()), "loading " + ptx.string());
}
BareModule::~BareModule() { cuda_.module_unload(module_); }

Function BareModule::function(const char* name) const {
  Function found = nullptr;
  cuda_.check(cuda_.module_function(&found, module_, name), std::string("finding the kernel ") + name);
  return found;
}

// More events than any of the programs uses: none is made while something is timed or captured.
constexpr std::size_t first_events = 64;

Streams::Streams(const Cuda& cuda, unsigned count) : cuda_(cuda), streams_(count), events_(first_events) {
  for (Stream& stream : streams_)
    cuda.check(cuda.stream_create(&stream, driver::stream_non_blocking), "making a stream");
  for (Event& event : events_) cuda.check(cuda.event_create(&event, driver::event_no_timing), "making an event");
}
Streams::~Streams() {
  for (Event event : events_) cuda_.event_destroy(event);
  for (Stream stream : streams_) cuda_.stream_destroy(stream);
}

void Streams::copy_in(unsigned stream, const BareBytes& array) {
  cuda_.check(cuda_.copy_in(array.address(), array.host(), array.bytes(), streams_[stream]), "copying to the GPU");
}
void Streams::copy_out(unsigned stream, const BareBytes& array) {
  cuda_.check(cuda_.copy_out(array.host(), array.address(), array.bytes(), streams_[stream]), "copying to the host");
}
void Streams::fill(unsigned stream, const BareBytes& array, unsigned word) {
  cuda_.check(cuda_.fill(array.address(), word, array.bytes() / 4, streams_[stream]), "filling");
}

Event Streams::mark(unsigned stream) {
  if (next_event_ == events_.size()) {
    events_.push_back(nullptr);
    cuda_.check(cuda_.event_create(&events_.back(), driver::event_no_timing), "making an event");
  }
  const Event event = events_[next_event_++];
  cuda_.check(cuda_.event_record(event, streams_[stream]), "recording an event");
  return event;
}
void Streams::wait(unsigned waiter, Event point) {
  cuda_.check(cuda_.stream_wait(streams_[waiter], point, 0), "waiting for an event");
}

void Streams::launch_packed(unsigned stream, Function function, const Grid& grid, void** arguments) {
  const Dim3 &b = grid.blocks, &t = grid.threads;
  cuda_.check(cuda_.launch(function, b.x, b.y, b.z, t.x, t.y, t.z, 0, streams_[stream], arguments, nullptr),
              "launching");
}

void Streams::synchronize() {
  for (Stream stream : streams_) cuda_.check(cuda_.stream_synchronize(stream), "waiting");
}

Graph Streams::capture(const std::function<void()>& program) {
  constexpr int of_this_thread = 1;
  Graph graph = nullptr;
  begin();
  cuda_.check(cuda_.capture_begin(streams_[0], of_this_thread), "beginning a capture");
  const Event fork = mark(0);
  for (unsigned i = 1; i < streams_.size(); ++i) wait(i, fork);
  program();
  for (unsigned i = 1; i < streams_.size(); ++i) wait_for(0, i);
  cuda_.check(cuda_.capture_end(streams_[0], &graph), "ending a capture");
  return graph;
}

GraphBuilder::GraphBuilder(const Cuda& cuda) : cuda_(cuda) {
  cuda.check(cuda.graph_create(&graph_, 0), "making a graph");
}
GraphBuilder::~GraphBuilder() {
  if (graph_ != nullptr) cuda_.graph_destroy(graph_);
}
Graph GraphBuilder::release() { return std::exchange(graph_, nullptr); }

// Large arrays in pieces, one behind the other.
Node GraphBuilder::copy(const BareBytes& array, bool in, const Behind& behind) {
  Behind before = behind;
  for (std::size_t at = 0; at < array.bytes(); at += most_of_a_node) {
    const std::size_t bytes = std::min(array.bytes() - at, most_of_a_node);
    driver::BoxEnd host, device;
    host.memory_type = driver::memory_of_host;
    host.host = static_cast<std::byte*>(array.host()) + at;
    device.memory_type = driver::memory_of_device;
    device.device = array.address() + at;
    host.row = device.row = bytes;
    host.rows = device.rows = 1;
    const driver::BoxCopy box{in ? host : device, in ? device : host, bytes, 1, 1};
    Node node = nullptr;
    cuda_.check(cuda_.graph_add_copy(&node, graph_, before.data(), before.size(), &box, cuda_.context()),
                "adding a copy to a graph");
    before = {node};
  }
  return before.at(0);
}
Node GraphBuilder::copy_in(const BareBytes& array, const Behind& behind) { return copy(array, true, behind); }
Node GraphBuilder::copy_out(const BareBytes& array, const Behind& behind) { return copy(array, false, behind); }

Node GraphBuilder::fill(const BareBytes& array, unsigned word, const Behind& behind) {
  const FillNode fill{array.address(), array.bytes(), word, 4, array.bytes() / 4, 1};
  Node node = nullptr;
  cuda_.check(cuda_.graph_add_fill(&node, graph_, behind.data(), behind.size(), &fill, cuda_.context()),
              "adding a fill to a graph");
  return node;
}

Node GraphBuilder::launch_packed(const Behind& behind, Function function, const Grid& grid, void** arguments) {
  const Dim3 &b = grid.blocks, &t = grid.threads;
  const KernelNode kernel{function, b.x, b.y, b.z, t.x, t.y, t.z, 0, arguments};
  Node node = nullptr;
  cuda_.check(cuda_.graph_add_kernel(&node, graph_, behind.data(), behind.size(), &kernel),
              "adding a kernel to a graph");
  return node;
}

GraphRun::GraphRun(const Cuda& cuda, Graph graph) : cuda_(cuda) {
  const Result result = cuda.graph_instantiate(&executable_, graph, 0);
  cuda.graph_destroy(graph);
  cuda.check(result, "instantiating a graph");
}
GraphRun::~GraphRun() { cuda_.executable_destroy(executable_); }

void GraphRun::launch(Stream stream) const {
  cuda_.check(cuda_.graph_launch(executable_, stream), "launching a graph");
}

}  // namespace heddle::bench::grcuda
