#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "support/statistics.hpp"

namespace heddle::bench::grcuda {
namespace {

// Until memory is there, links are awake and what repeats itself is known.
constexpr unsigned warm_ups = 3;

double time_form(Form& form, unsigned round) {
  form.touch(round);
  return time_once([&] { form.run(); });
}

unsigned rounds_for(const Effort& effort, double seconds_of_a_round) {
  if (effort.rounds > 0) return effort.rounds;
  return static_cast<unsigned>(std::clamp(effort.seconds / std::max(seconds_of_a_round, 1e-6), 3.0, 21.0));
}

}  // namespace

Measured measure(Benchmark& benchmark, const std::vector<std::unique_ptr<Form>>& forms, const Shape& shape,
                 const Effort& effort, std::span<const char* const> names) {
  const std::size_t count = forms.size();
  Measured made;
  for (const auto& form : forms) form->prepare(shape);
  double seconds_of_a_round = 0;
  for (unsigned warm_up = 0; warm_up < warm_ups; ++warm_up) {
    const base::SteadyClock clock;
    const base::Stopwatch watch(clock);
    for (const auto& form : forms) time_form(*form, 99 - warm_up);
    seconds_of_a_round = watch.seconds();
  }
  made.rounds = rounds_for(effort, seconds_of_a_round);
  std::vector<std::vector<double>> times(count), ratios(count);
  for (unsigned round = made.rounds; round-- > 0;) {
    std::vector<double> own(count);
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t who = (turn + round) % count;
      own[who] = time_form(*forms[who], round);
      // Forms that share arrays share results, too.
      if (round > 0) continue;
      if (const std::string wrong = benchmark.difference(forms[who]->outputs()); !wrong.empty())
        made.wrong = fmt::format("{}: {}", names[who], wrong);
    }
    for (std::size_t i = 0; i < count; ++i) {
      times[i].push_back(own[i]);
      ratios[i].push_back(own[i] / own[0]);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    made.seconds.push_back(median(times[i]));
    made.ratios.push_back(median(ratios[i]));
  }
  return made;
}

}  // namespace heddle::bench::grcuda
