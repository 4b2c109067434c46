// Tasks that are no kernels.
#include "runtime/call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "runtime/fixture.hpp"

namespace heddle::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CallTest : public RuntimeTest {
 protected:
  template <typename... Arrays>
  Launch call(const CallOptions& options, CallFunction function, const Arrays&... arrays) {
    const std::vector<Argument> list = {Argument(arrays)...};
    return Launch(runtime::call(core_, options, std::move(function), list));
  }
  template <typename... Arrays>
  void call_host(const CallFunction& function, const Arrays&... arrays) {
    const std::vector<Argument> list = {Argument(arrays)...};
    runtime::call_host(*core_, function, list);
  }
  // to[0] = 10 from[0]
  static void scale(const Call& call) {
    *at(reinterpret_cast<std::uint64_t>(call.data<float>(1))) =
        10 * *at(reinterpret_cast<std::uint64_t>(call.data<float>(0)));
  }
};

// GrCUDA's checklist, row 11: what takes a stream is a task of the graph, that the host does not wait for.
TEST_F(CallTest, AreOrderedWithLaunchesByTheirArrays) {
  for (const char* device : {"near", "far"}) {
    start({device});
    Array<float> a = floats({1}), b = floats({0}), c = floats({0}), free = floats({1});
    launch("add_to", {}, 1, 1.0f, a);
    const Launch called = call({}, scale, in(a), out(b));
    launch("copy_first", {}, 1, b, c);
    const Launch other = launch("add_to", {}, 1, 1.0f, free);
    EXPECT_FALSE(called.done());
    EXPECT_EQ(called.device(), device);
    EXPECT_THAT(c.read(), ElementsAre(20));
    EXPECT_TRUE(called.done());
    EXPECT_FALSE(other.done());
    EXPECT_EQ(logged(std::string(device) + ": call"), 1);
  }
}

// A defect of whoever submits it, which must not be the end of the task that is open.
TEST_F(CallTest, ATaskBehindAnOpenOneIsRefusedAndChangesNothing) {
  start({"near"});
  sched::Scheduler& scheduler = core_->scheduler();
  base::Lock lock(core_->mutex());
  const graph::Access all{scheduler.add_object(8, "x"), graph::Mode::read_write, 0, 8};
  const auto submit = [&] { return scheduler.submit(0, {&all, 1}, [](device::Queue&) {}); };
  auto open = scheduler.open(0, {&all, 1}, {});
  const graph::TaskRef task = open.task;
  EXPECT_THROW(submit(), Error);
  EXPECT_FALSE(scheduler.dag().finished(task));
  EXPECT_EQ(scheduler.dag().last(), task.id);
  scheduler.close(std::move(open));
  const graph::TaskRef behind = submit();
  lock.unlock();
  EXPECT_NO_THROW(scheduler.wait(behind));
}

TEST_F(CallTest, ReadersDoNotWaitForEachOther) {
  start({"near"});
  Array<float> a = floats({1}), b = floats({0}), c = floats({0});
  call({}, scale, in(a), out(b));
  call({}, scale, in(a), c);
  EXPECT_EQ(devices_[0]->queues(), 2u);
  call({}, scale, a, c);  // modifies both
  EXPECT_EQ(devices_[0]->queues(), 2u);
  EXPECT_THAT(c.read(), ElementsAre(10));
}

TEST_F(CallTest, GetTheirSlices) {
  start({"near"});
  Array<float> a = floats({1, 2, 3}), b = floats({0, 0});
  call(
      {},
      [](const Call& given) {
        EXPECT_EQ(given.size(), 2u);
        EXPECT_EQ(given.bytes(0), 8u);
        EXPECT_EQ(given.bytes(1), 4u);
        EXPECT_EQ(given.stream(), nullptr);
        EXPECT_EQ(given.device(), "near");
        EXPECT_THROW(given.data<float>(2), std::out_of_range);
        *given.data<float>(1) = given.data<const float>(0)[1];
      },
      in(a.slice(1)), out(b.slice(1, 1)));
  EXPECT_THAT(b.read(), ElementsAre(0, 3));
}

TEST_F(CallTest, FailuresAreToldToWhoDependsOnThem) {
  start({"near"});
  Array<float> a = floats({1}), b = floats({0}), other = floats({0}), free = floats({5});
  call({}, [](const Call&) { throw std::runtime_error("no licence"); }, in(a), out(b));
  launch("copy_first", {}, 1, b, other);
  launch("add_to", {}, 1, 1.0f, free);
  EXPECT_THAT(free.read(), ElementsAre(6));
  EXPECT_THAT(message_of([&] { other.read(); }), HasSubstr("a function given to Runtime::call threw: no licence"));
  EXPECT_NO_THROW(core_->synchronize());
  call({}, [](const Call&) { throw Error(ErrorCode::io_error, "the disk is full"); }, b);
  EXPECT_EQ(message_of([&] { b.read(); }), "the disk is full");
  EXPECT_NO_THROW(b.read());
}

TEST_F(CallTest, WhatIsNoArrayIsRefused) {
  start({"near"});
  Array<float> a = floats({1});
  EXPECT_THAT(message_of([&] { call({}, scale, a, 1.0f); }), HasSubstr("array 2 of a call is no array"));
  EXPECT_THAT(message_of([&] { call({}, scale, a, a.slice(0, 2)); }), HasSubstr("reaches out of its array of 4 bytes"));
  EXPECT_THAT(message_of([&] { call({}, nullptr, a); }), HasSubstr("was given no function"));
  EXPECT_THAT(message_of([&] { call({.device = "moon"}, scale, a); }), HasSubstr("no device 'moon'"));
  EXPECT_THAT(message_of([&] { call({}, [](const Call&) {}, a).seconds(); }),
              HasSubstr("was not timed: set CallOptions::timed"));
  EXPECT_NO_THROW(call({.timed = true}, [](const Call&) {}, a).seconds());
}

// Where a function would wait for what waits for it, it is told so, and who waits for it hears it.
TEST_F(CallTest, TheRuntimeIsRefusedInsideAFunction) {
  const char* const sentence = "a function given to Runtime::call used its own runtime";
  for (const char* device : {"near", "far", "near streams", "far streams"}) {
    start({device});
    Array<float> a = floats({1}), b = floats({0}), idle = floats({7});
    const Launch before = launch("add_to", {}, 1, 1.0f, a);
    const std::vector<std::pair<const char*, std::function<void()>>> uses = {
        {"call", [&] { call({}, scale, in(a), out(b)); }},
        {"call_host", [&] { call_host([](const Call&) {}, a); }},
        {"launch", [&] { launch("add_to", {}, 1, 1.0f, a); }},
        {"read", [&] { static_cast<void>(a.read()); }},
        {"write", [&] { static_cast<void>(a.write()); }},
        {"wait", [&] { before.wait(); }},
        {"history", [&] { static_cast<void>(module_->kernel("add_to").history()); }},
        {"synchronize", [&] { core_->synchronize(); }}};
    for (const auto& [name, use] : uses) {
      const Launch called = call({}, [&use = use](const Call&) { use(); }, b);
      EXPECT_THAT(message_of([&] { called.wait(); }), HasSubstr(sentence)) << device << ": " << name;
    }
    // What waits for nobody is no use of it; and afterwards all of it may be used.
    float seen = 0;
    call({}, [&](const Call&) { seen = idle.read()[0]; }, b).wait();
    EXPECT_EQ(seen, 7);
    EXPECT_THAT(a.read(), ElementsAre(2));
    call_host([&](const Call&) { EXPECT_EQ(message_of([&] { core_->synchronize(); }), "no error"); }, in(b));
  }
}

TEST_F(CallTest, AnotherRuntimeMayBeUsedInsideAFunction) {
  start({"near streams"});
  const std::shared_ptr<core::Core> outer = core_;
  const auto outer_array = std::make_shared<runtime::Buffer>(outer, 4);
  start({"near"});
  Array<float> mine = floats({1});
  const Argument argument{Array<float>(outer_array)};
  const auto within = [&](CallFunction function) {
    return Launch(runtime::call(outer, {}, std::move(function), {&argument, 1}));
  };
  within([&](const Call&) {
    launch("add_to", {}, 1, 1.0f, mine);
    EXPECT_THAT(mine.read(), ElementsAre(2));
  }).wait();
  // Through the other one back to the first.
  Launch inner = call({}, [&](const Call&) { outer->synchronize(); }, mine);
  within([&](const Call&) {
    EXPECT_THAT(message_of([&] { inner.wait(); }), HasSubstr("used its own runtime"));
  }).wait();
}

TEST_F(CallTest, EndRepetitions) {
  start({"near"});
  Array<float> a = floats({0}), b = floats({0});
  for (int i = 0; i < 100; ++i) {
    launch("add_to", {}, 1, 1.0f, a);
    launch("add_to", {}, 1, 1.0f, a);
  }
  call({}, scale, in(a), out(b));
  EXPECT_THAT(b.read(), ElementsAre(2000));
}

TEST_F(CallTest, PoliciesAreKept) {
  start({"far"}, {.execution = Scheduling::Execution::sync});
  Array<float> a = floats({1}), b = floats({0});
  EXPECT_TRUE(call({}, scale, in(a), out(b)).done());
  start({"far"}, {.dependences = Scheduling::Dependences::no_const});
  a = floats({1}), b = floats({0});
  Array<float> c = floats({0});
  call({}, scale, in(a), out(b));
  call({}, scale, in(a), out(c));
  EXPECT_EQ(devices_[0]->queues(), 1u);
  b = floats({0}), c = floats({0});
  start({"far"}, {.prefetch = false});
  a = floats({1}), b = floats({0});
  log_.clear();
  call({}, scale, in(a), out(b));
  EXPECT_EQ(logged("far: copy 4"), 1);  // the host has waited for it
  EXPECT_EQ(logged("far: call"), 0);
}

// Row 11, the other half: of what nothing is known but its arrays, the host waits for those, and it runs in between.
TEST_F(CallTest, HostFunctionsWaitForTheirArraysAlone) {
  for (const char* device : {"near", "far"}) {
    start({device});
    Array<float> a = floats({1}), b = floats({0}), free = floats({1});
    launch("add_to", {}, 1, 1.0f, a);
    const Launch reader = launch("copy_first", {}, 1, a, b);
    const Launch other = launch("add_to", {}, 1, 1.0f, free);
    bool ran = false;
    call_host(
        [&](const Call& given) {
          EXPECT_EQ(given.device(), "host");
          EXPECT_TRUE(reader.done());
          EXPECT_FALSE(other.done());
          *given.data<float>(0) += 100;
          EXPECT_EQ(*given.data<const float>(1), 2);
          ran = true;
        },
        a, in(b));
    EXPECT_TRUE(ran);
    launch("copy_first", {}, 1, a, b);
    EXPECT_THAT(b.read(), ElementsAre(102));
    EXPECT_THROW(call_host([](const Call&) { throw std::runtime_error("mine"); }, in(a)), std::runtime_error);
    EXPECT_THAT(a.read(), ElementsAre(102));
  }
}

}  // namespace
}  // namespace heddle::tests
