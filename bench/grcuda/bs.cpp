// B&S: calls of ten stocks by the formula of Black and Scholes: ten launches that have nothing to do with each other.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <deque>

#include "benchmark.hpp"
#include "parallel.hpp"

namespace heddle::bench::grcuda {
namespace {

constexpr unsigned stocks = 10;
constexpr double rate = 0.08, volatility = 0.3, years = 1, strike = 60;
constexpr double tolerance = 1e-9;  // of the strike

double price_at(std::size_t i, unsigned stock) { return 20 + 80 * static_cast<double>(uniform(i, 10 + stock)); }
// Of the first option.
double first_price(unsigned stock, unsigned round) { return 50.0 + stock + 0.25 * round; }
void fill(std::span<double> prices, unsigned stock) {
  parallel_for(prices.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) prices[i] = price_at(i, stock);
  });
}

double reference(double price) {
  const auto normal = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
  const double spread = volatility * std::sqrt(years);
  const double d1 = (std::log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
  return price * normal(d1) - strike * std::exp(-rate * years) * normal(d1 - spread);
}

class OnHeddle : public HeddleProgram {
 public:
  OnHeddle(Runtime& runtime, const Place& place, std::size_t n)
      : runtime_(runtime),
        kernel_(runtime.load_ptx_file(place.kernels / "bs.ptx").kernel("black_scholes")),
        n_(static_cast<int>(n)) {
    for (unsigned i = 0; i < stocks; ++i) {
      prices_.push_back(runtime.array<double>(n));
      calls_.push_back(runtime.array<double>(n));
      fill(prices_[i].write(), i);
    }
  }
  void touch(unsigned round) override {
    for (unsigned i = 0; i < stocks; ++i) prices_[i].write().front() = first_price(i, round);
  }
  void run(const Shape& shape) override {
    for (unsigned i = 0; i < stocks; ++i)
      runtime_.launch(kernel_, shape.line.options(), prices_[i], calls_[i], n_, rate, volatility, years, strike);
    for (const auto& calls : calls_) static_cast<void>(calls.read()[0]);
  }
  Outputs outputs() override {
    Outputs all;
    for (const auto& calls : calls_) all.push_back(output(calls));
    return all;
  }

 private:
  Runtime& runtime_;
  Kernel kernel_;
  int n_;
  std::vector<Array<double>> prices_, calls_;
};

class Bare : public BareProgram {
 public:
  Bare(const Cuda& cuda, const Place& place, std::size_t n)
      : module_(cuda, place.kernels / "bs.ptx"), kernel_(module_.function("black_scholes")), n_(static_cast<int>(n)) {
    for (unsigned i = 0; i < stocks; ++i) {
      prices_.emplace_back(cuda, n, On::both);
      calls_.emplace_back(cuda, n, On::both);
      fill(prices_[i].values(), i);
    }
  }
  void touch(unsigned round) override {
    for (unsigned i = 0; i < stocks; ++i) prices_[i].values().front() = first_price(i, round);
  }
  unsigned streams() const override { return stocks; }
  void run(Streams& s, const Shape& shape) override {
    for (unsigned i = 0; i < stocks; ++i) {
      s.copy_in(i, prices_[i]);
      s.launch(i, kernel_, shape.line, prices_[i], calls_[i], n_, rate, volatility, years, strike);
      s.copy_out(i, calls_[i]);
    }
  }
  void build(GraphBuilder& g, const Shape& shape) override {
    for (unsigned i = 0; i < stocks; ++i) {
      const Node made = g.launch({g.copy_in(prices_[i])}, kernel_, shape.line, prices_[i], calls_[i], n_, rate,
                                 volatility, years, strike);
      g.copy_out(calls_[i], {made});
    }
  }
  Outputs outputs() override {
    Outputs all;
    for (const auto& calls : calls_) all.push_back(calls.output());
    return all;
  }

 private:
  BareModule module_;
  Function kernel_;
  int n_;
  std::deque<BareArray<double>> prices_, calls_;  // which stay where they are
};

class BlackScholes : public Benchmark {
 public:
  BlackScholes(const Place& place, std::uint64_t bytes)
      : place_(place), n_(std::max<std::size_t>(bytes / (stocks * 16), 16)) {}
  std::uint64_t bytes() const override { return n_ * stocks * 16; }
  std::unique_ptr<HeddleProgram> on_heddle(Runtime& runtime) const override {
    return std::make_unique<OnHeddle>(runtime, place_, n_);
  }
  std::unique_ptr<BareProgram> bare(const Cuda& cuda) const override {
    return std::make_unique<Bare>(cuda, place_, n_);
  }
  Plan plan() const override {
    Plan plan{std::vector<Plan::Launch>(stocks), {}};
    for (unsigned i = 0; i < stocks; ++i) plan.reads.push_back(i);
    return plan;
  }
  bool exact() const override { return true; }

  // Of each stock all, or some 4096 of them, the first and the last one among them.
  std::string difference(const Outputs& outputs) override {
    const std::size_t step = std::max<std::size_t>(n_ / 4096, 1);
    for (unsigned stock = 0; stock < stocks; ++stock) {
      const auto calls = as<double>(outputs.at(stock));
      for (std::size_t k = 0; k <= n_; k += step) {
        const std::size_t i = std::min(k, n_ - 1);
        const double expected = reference(i == 0 ? first_price(stock, 0) : price_at(i, stock));
        if (!(std::abs(calls[i] - expected) <= tolerance * strike))
          return fmt::format("option {} of stock {} is {:.12g}, and should be {:.12g}", i, stock, calls[i], expected);
      }
      const double last = reference(price_at(n_ - 1, stock));
      if (!(std::abs(calls[n_ - 1] - last) <= tolerance * strike))
        return fmt::format("the last option of stock {} is {:.12g}, and should be {:.12g}", stock, calls[n_ - 1], last);
    }
    return {};
  }

 private:
  Place place_;
  std::size_t n_;
};

}  // namespace

std::unique_ptr<Benchmark> make_bs(const Place& place, std::uint64_t bytes) {
  return std::make_unique<BlackScholes>(place, bytes);
}

}  // namespace heddle::bench::grcuda
