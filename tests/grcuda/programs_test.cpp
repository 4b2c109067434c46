// The benchmarks on Heddle: in parallel, serially and in plain C++ the same comes out, and what does not is found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <vector>

#include "duplex.hpp"
#include "placed.hpp"
#include "support.hpp"

namespace heddle::bench::grcuda {
namespace {

using Bytes = std::vector<std::vector<std::byte>>;

Bytes copy_of(const Outputs& outputs) {
  Bytes all;
  for (const auto& output : outputs) all.emplace_back(output.begin(), output.end());
  return all;
}
Outputs view_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

Bytes execute(const Benchmark& benchmark, const Scheduling& scheduling, const Shape& shape,
              const std::vector<unsigned>& rounds) {
  Runtime runtime({.devices = "cpu", .workers = 3, .scheduling = scheduling});
  const auto program = benchmark.on_heddle(runtime);
  for (const unsigned round : rounds) {
    program->touch(round);
    program->run(shape);
  }
  return copy_of(program->outputs());
}

// On the CPU device and the interpreter, in turns or where the bytes are.
TEST(PlacedPrograms, AreAsTheReference) {
  for (const Named& named : all_benchmarks) {
    for (const auto placement : {Scheduling::Placement::round_robin, Scheduling::Placement::min_transfer_size}) {
      const auto benchmark = named.make({place.kernels, 2}, small);
      Runtime runtime({.devices = "cpu,interp", .workers = 3, .scheduling = {.placement = placement}});
      const auto program = benchmark->on_heddle(runtime);
      for (const unsigned round : {1u, 0u}) {
        program->touch(round);
        program->run(Shape(4, 64));
      }
      EXPECT_EQ(benchmark->difference(program->outputs()), "") << named.name;
    }
  }
}

TEST(PlacedPrograms, MlInPartsIsAsTheReference) {
  for (const unsigned parts : {1u, 2u, 3u, 5u}) {
    const auto benchmark = make_ml({place.kernels, parts}, tiny);
    const Bytes made = execute(*benchmark, {}, Shape(16, 256), {2, 0});
    EXPECT_EQ(benchmark->difference(view_of(made)), "") << parts;
  }
}

TEST(PlacedPrograms, AreMeasuredAgainstOneDevice) {
  PlacedOptions options{"cpu,interp", Scheduling::Placement::round_robin, 1, {64}, {3, 0}};
  Placed placed(options, place.kernels);
  EXPECT_FALSE(placed.on_gpus());
  std::vector<PlacedRow> rows;
  for (const Named& named : all_benchmarks) {
    const std::string name = named.name;
    if (name != "B&S" && name != "ML") continue;
    for (PlacedRow& row : placed.run(named, 2e-5)) rows.push_back(std::move(row));
  }
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].measured.wrong + rows[1].measured.wrong, "");
  EXPECT_EQ(rows[0].measured.seconds.size(), 2u);
  EXPECT_EQ(rows[1].measured.seconds.size(), 3u);  // also not cut
  rows[0].measured.ratios = {1, 1.8};
  rows[1].measured.ratios = {1, 1.9, 1.6};
  EXPECT_DOUBLE_EQ(rows[1].ratio(), 1.6);
  Results results("unused");
  add_results(rows, true, results);
  EXPECT_FALSE(results.hold());
  rows[1].measured.ratios[2] = 1.75;
  Results better("unused");
  add_results(rows, true, better);
  EXPECT_TRUE(better.hold());
  EXPECT_THROW(Placed({"cpu"}, place.kernels), std::invalid_argument);
  EXPECT_THROW(placement_named("nearest"), std::invalid_argument);
}

// Rates are the machine's; what is counted and called what is ours.
TEST(Duplex, HasRatesOfBothWaysAndALimit) {
  const Runtime runtime({.devices = "cpu,interp", .workers = 2});
  const DuplexRates rates = measure_duplex(runtime, 1 << 16, 2);
  EXPECT_EQ(rates.devices, 2u);
  for (const double rate : {rates.to_device, rates.to_host, rates.first, rates.all}) EXPECT_GT(rate, 0);
  Results results("unused");
  add_results({2, 50e9, 40e9, 80e9, 120e9}, results);
  std::string names;
  for (const bench::Result& result : results.all())
    names += fmt::format("{} {:g} {}\n", result.name, result.value, result.unit);
  EXPECT_EQ(names,
            "duplex.to_device 50 GB/s\nduplex.to_host 40 GB/s\nduplex.first 80 GB/s\nduplex.all 120 GB/s\n"
            "duplex.limit 1.5 x\n");
  EXPECT_NE(text({2, 50e9, 40e9, 80e9, 120e9}).find("all 2 devices: B&S there can be 1.50 times"), std::string::npos);
}

class Programs : public testing::TestWithParam<Named> {};

TEST_P(Programs, InParallelAndSeriallyAreAsTheReference) {
  const auto benchmark = GetParam().make(place, tiny);
  for (const unsigned threads : {32u, 256u}) {
    const Shape shape(16, threads);
    const Bytes parallel = execute(*benchmark, {}, shape, {2, 0}), serial = execute(*benchmark, sync(), shape, {1, 0});
    EXPECT_EQ(benchmark->difference(view_of(parallel)), "");
    EXPECT_EQ(benchmark->difference(view_of(serial)), "");
    EXPECT_TRUE(!benchmark->exact() || parallel == serial);
  }
}

TEST_P(Programs, TakeAboutAsManyBytesAsTheyAreTold) {
  for (const std::uint64_t bytes : {std::uint64_t{10'000'000}, std::uint64_t{16'000'000'000}}) {
    const double part = static_cast<double>(GetParam().make(place, bytes)->bytes()) / static_cast<double>(bytes);
    EXPECT_GT(part, 0.97);
    EXPECT_LE(part, 1.001);
  }
}

// An execution with the inputs of before, as if something had not been copied again, and a result that is gone.
TEST_P(Programs, WhatIsWrongIsFound) {
  const auto benchmark = GetParam().make(place, tiny);
  EXPECT_NE(benchmark->difference(view_of(execute(*benchmark, {}, small_shape, {0, 3}))), "");
  Bytes right = execute(*benchmark, {}, small_shape, {0});
  EXPECT_EQ(benchmark->difference(view_of(right)), "");
  for (auto& output : right) std::fill(output.begin(), output.end(), std::byte{0});
  EXPECT_NE(benchmark->difference(view_of(right)), "");
}

// Every launch that a plan names comes behind what it depends on.
TEST_P(Programs, PlansAreInOrder) {
  const Plan plan = GetParam().make(place, tiny)->plan();
  ASSERT_FALSE(plan.launches.empty());
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    for (const std::size_t parent : plan.launches[i].behind) EXPECT_LT(parent, i);
    for (const std::size_t other : plan.launches[i].with_copies_of) EXPECT_LT(other, i);
  }
  for (const std::size_t read : plan.reads) EXPECT_LT(read, plan.launches.size());
}

INSTANTIATE_TEST_SUITE_P(All, Programs, testing::ValuesIn(all_benchmarks),
                         [](const auto& info) { return plain(info.param.name); });

TEST(ImgOfAPhotograph, IsAsTheReferenceAndCanBeWritten) {
  const std::filesystem::path photo = HEDDLE_PHOTO;
  const auto benchmark = make_img(place, photo);
  const Bytes made = execute(*benchmark, {}, Shape(16, 256), {0});
  EXPECT_EQ(benchmark->difference(view_of(made)), "");
  const std::filesystem::path file = testing::TempDir() + "/grcuda_photo.png";
  write_photo(*benchmark, view_of(made), file);
  EXPECT_GT(std::filesystem::file_size(file), 10'000u);
  std::filesystem::remove(file);
  EXPECT_THROW(make_img(place, std::filesystem::path("/nowhere/photo.png")), std::runtime_error);
}

}  // namespace
}  // namespace heddle::bench::grcuda
