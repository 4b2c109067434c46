// The objects behind the handles of heddle/skeleton.h.
#pragma once

#include <future>
#include <memory>
#include <string>

#include "heddle/skeleton.h"
#include "heddle/skeleton.hpp"

struct heddle_tree {
  heddle::skeleton::Tree tree;
  std::string name;
};

struct heddle_executor {
  heddle_executor(heddle::Runtime& runtime, const heddle::skeleton::ExecutorOptions& options)
      : executor(runtime, options) {}
  heddle::skeleton::Executor executor;
};

struct heddle_tree_run {
  std::shared_future<heddle::skeleton::Report> report;
};

struct heddle_loop_view {
  heddle::skeleton::LoopView& view;
};
