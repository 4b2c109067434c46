#include "cuda_api/core/contexts.hpp"

#include <algorithm>

namespace heddle::cuda_api {

void Contexts::add_device(heddle::Device device) {
  const int number = device_count();
  own_.push_back(std::make_unique<Context>(handles_, number, number, std::move(device)));
}

Context& Contexts::of_device(int number) const {
  if (number < 0 || number >= device_count())
    throw Failure(cudaErrorInvalidDevice,
                  "there is no device " + std::to_string(number) + "; there are " + std::to_string(device_count()));
  return *own_[static_cast<std::size_t>(number)];
}

Context& Contexts::make(int number) {
  const Context& own = of_device(number);
  const base::Lock lock(mutex_);
  const auto again = std::find_if(ended_.begin(), ended_.end(), [&](Context* c) { return c->number() == number; });
  if (again != ended_.end()) {
    Context& context = **again;
    ended_.erase(again);
    return context;
  }
  const int slot = device_count() + static_cast<int>(made_.size());
  return *made_.emplace_back(std::make_unique<Context>(handles_, number, slot, own.device()));
}

void Contexts::give_back(Context& context) {
  const base::Lock lock(mutex_);
  ended_.push_back(&context);
}

bool Contexts::has(const Context* context) const {
  const auto is = [&](const std::unique_ptr<Context>& c) { return c.get() == context; };
  if (std::any_of(own_.begin(), own_.end(), is)) return true;
  const base::Lock lock(mutex_);
  return std::any_of(made_.begin(), made_.end(), is) &&
         std::find(ended_.begin(), ended_.end(), context) == ended_.end();
}

std::vector<Context*> Contexts::all() const {
  std::vector<Context*> list;
  for (const auto& context : own_) list.push_back(context.get());
  const heddle::base::Lock lock(mutex_);
  for (const auto& context : made_)
    if (std::find(ended_.begin(), ended_.end(), context.get()) == ended_.end()) list.push_back(context.get());
  return list;
}

std::vector<int> Contexts::with_faults() const {
  std::vector<int> slots;
  for (const Context* const context : all())
    if (context->sticky() != cudaSuccess) slots.push_back(context->slot());
  return slots;
}

}  // namespace heddle::cuda_api
