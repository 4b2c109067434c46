// The ends of what may be asked for: the largest grid, nothing at all, all of shared memory, very many of everything.
#include <array>
#include <thread>

#include "conformance/conformance.hpp"

namespace heddle::conformance {
namespace {

using testing::HasSubstr;

// out[linear block - first] = {ctaid.x, ctaid.y, ctaid.z, nctaid.x}
constexpr const char* where = R"ptx(
.version 7.0
.target sm_70
.address_size 64
.visible .entry where(.param .u64 p_out, .param .u64 p_first) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [p_out];
  ld.param.u64 %rd2, [p_first];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ctaid.y;
  mov.u32 %r3, %ctaid.z;
  mov.u32 %r4, %nctaid.x;
  mov.u32 %r5, %nctaid.y;
  cvt.u64.u32 %rd3, %r3;
  cvt.u64.u32 %rd4, %r5;
  cvt.u64.u32 %rd5, %r2;
  mad.lo.u64 %rd6, %rd3, %rd4, %rd5;
  cvt.u64.u32 %rd7, %r4;
  cvt.u64.u32 %rd8, %r1;
  mad.lo.u64 %rd6, %rd6, %rd7, %rd8;
  sub.u64 %rd6, %rd6, %rd2;
  mad.lo.u64 %rd9, %rd6, 16, %rd1;
  st.global.v4.u32 [%rd9], {%r1, %r2, %r3, %r4};
  ret;
}
.extern .shared .align 16 .b8 window[];
// The last word of the window, through the window.
.visible .entry last_word(.param .u64 p_out) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_out];
  mov.u32 %r1, %dynamic_smem_size;
  mov.u32 %r2, window;
  add.u32 %r3, %r2, %r1;
  st.shared.u32 [%r3+-4], %r1;
  bar.sync 0;
  ld.shared.u32 %r4, [%r3+-4];
  st.global.u32 [%rd1], %r4;
  ret;
}
)ptx";

TEST_P(Conformance, TheLargestGrid) {
  using Place = std::array<std::uint32_t, 4>;
  const auto loaded = load(where);
  Function& function = loaded->function("where");
  const Dim3 grid{0x7fffffff, 65'535, 65'535};
  constexpr std::uint64_t blocks = 5;
  const Buffer<Place> out(*device, blocks);
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{grid.x} - 2, grid.count() / 2, grid.count() - blocks}) {
    launch_range(*queue, function, {.grid = grid, .block = {1}}, {first, first + blocks}, out.address(), first);
    std::vector<Place> expected;
    for (std::uint64_t b = first; b < first + blocks; ++b)
      expected.push_back({static_cast<std::uint32_t>(b % grid.x), static_cast<std::uint32_t>(b / grid.x % grid.y),
                          static_cast<std::uint32_t>(b / grid.x / grid.y), grid.x});
    EXPECT_EQ(out.read(*queue), expected) << first;
  }
}

TEST_P(Conformance, CooperativeLaunchesThatCannotBeResidentAreRefused) {
  const Buffer<std::uint32_t> in(*device, 16);
  const std::string message = expect_error(ErrorCode::invalid_argument, [&] {
    launch(*queue, "reverse",
           {.grid = {0x7fffffff}, .block = {1024}, .dynamic_shared_bytes = 4096, .cooperative = true}, in.address(),
           in.address());
  });
  EXPECT_THAT(message, HasSubstr("cooperative"));
  EXPECT_NO_THROW(queue->synchronize());
}

TEST_P(Conformance, Nothing) {
  const auto none = device->allocate(0);
  EXPECT_EQ(none->span().size, 0u);
  EXPECT_NE(none->span().address, 0u);
  EXPECT_NE(device->allocate(0)->span().address, none->span().address);
  queue->copy(none->span(), Span::host(static_cast<void*>(nullptr), 0));
  queue->copy(Span::host(static_cast<void*>(nullptr), 0), none->span());
  queue->fill(none->span(), 7, 4);
  queue->fill(Span{}, 7, 1);
  launch_range(*queue, kernel("nothing"), {.grid = {5}}, {0, 0});
  launch_range(*queue, kernel("nothing"), {.grid = {5}}, {5, 5});
  queue->synchronize();
  const auto event = device->event();
  EXPECT_TRUE(event->done());
  EXPECT_NO_THROW(event->wait());
  queue->wait(*event);  // never recorded: done
  queue->record(*event);
  EXPECT_NO_THROW(event->wait());
}

TEST_P(Conformance, AllOfSharedMemory) {
  const auto loaded = load(where);
  Function& function = loaded->function("last_word");
  const Buffer<std::uint32_t> out(*device, 1);
  const auto most = static_cast<std::uint32_t>(device->info().max_shared_per_block);
  for (const std::uint32_t bytes : {most, 4u, 48u * 1024}) {
    launch(*queue, function, {.grid = {3}, .block = {64}, .dynamic_shared_bytes = bytes}, out.address());
    EXPECT_EQ(out.read(*queue), std::vector<std::uint32_t>{bytes});
  }
  for (const std::uint32_t bytes : {most + 1, 0x80000000u, 0xFFFFFFFFu}) {
    const std::string message = expect_error(ErrorCode::invalid_argument, [&] {
      launch(*queue, function, {.grid = {3}, .block = {64}, .dynamic_shared_bytes = bytes}, out.address());
    });
    EXPECT_THAT(message, testing::AllOf(HasSubstr("last_word"), HasSubstr(std::to_string(bytes)),
                                        HasSubstr(std::to_string(most))));
  }
  EXPECT_NO_THROW(queue->synchronize());
}

TEST_P(Conformance, MoreMemoryThanThereIs) {
  const std::uint64_t all = device->info().memory_bytes;
  for (const std::uint64_t bytes :
       {all + 1, std::uint64_t{1} << 47, std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{0} - 300}) {
    const std::string message = expect_error(ErrorCode::out_of_memory, [&] { device->allocate(bytes); });
    EXPECT_THAT(message, HasSubstr("alloc")) << bytes;
  }
  // Everything still works.
  const Buffer<std::uint32_t> x(*device, 10);
  x.fill(*queue, 3);
  EXPECT_EQ(x.read(*queue), std::vector<std::uint32_t>(10, 3));
}

// Queues made, used and ended on several threads while others wait for their events.
TEST_P(Conformance, QueuesAndEventsComeAndGo) {
  constexpr int threads = 4, rounds = 25;
  const Buffer<std::uint32_t> x(*device, threads * 64);
  x.fill(*queue);
  queue->synchronize();
  Function& add_one = kernel("add_one");
  const auto start = device->event();
  queue->record(*start);
  std::vector<std::thread> hosts;
  for (int h = 0; h < threads; ++h) {
    hosts.emplace_back([&, h] {
      const std::uint64_t address = x.address() + static_cast<std::uint64_t>(h) * 64 * 4;
      std::unique_ptr<Event> last;
      for (int i = 0; i < rounds; ++i) {
        const auto first = device->queue({}), second = device->queue({.priority = i % 3});
        const auto between = device->event();
        first->wait(*start);
        if (last) first->wait(*last);
        launch(*first, add_one, {.block = {64}}, address, 64u);
        first->record(*between);
        second->wait(*between);
        launch(*second, add_one, {.block = {64}}, address, 64u);
        auto done = device->event();
        second->record(*done);
        if (i % 5 == 0) between->wait();
        last = std::move(done);
      }
      last->wait();
    });
  }
  for (std::thread& host : hosts) host.join();
  EXPECT_EQ(x.read(*queue), std::vector<std::uint32_t>(threads * 64, 2 * rounds));
}

}  // namespace
}  // namespace heddle::conformance
