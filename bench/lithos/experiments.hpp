// The experiments of LithOS's evaluation. Each adds its figures, with the bars that they must reach.
#pragma once

#include "loads.hpp"
#include "support/results.hpp"

namespace heddle::bench::lithos {

// Serving at 80 % load beside a training, for each pair of models and each policy, and without LithOS's parts.
void hybrid(const Settings& settings, Results& results);
// Two latency tenants with 75 % and 25 % of the device, and one of the batch class.
void inference(const Settings& settings, Results& results);
// One tenant that has the device for itself, and throttles.
void alone(const Settings& settings, Results& results);
// Right-sizing, and the frequency governor on the power model.
void sizing(const Settings& settings, Results& results);
// Eight tenants, and so many requests.
void eight(const Settings& settings, Results& results);

}  // namespace heddle::bench::lithos
