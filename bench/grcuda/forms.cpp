#include "forms.hpp"

#include <optional>

namespace heddle::bench::grcuda {
namespace {

class HeddleForm : public Form {
 public:
  HeddleForm(const Benchmark& benchmark, Runtime& runtime) : program_(benchmark.on_heddle(runtime)) {}
  void prepare(const Shape& shape) override { shape_ = shape; }
  void touch(unsigned round) override { program_->touch(round); }
  void run() override { program_->run(*shape_); }
  Outputs outputs() override { return program_->outputs(); }

 private:
  std::unique_ptr<HeddleProgram> program_;
  std::optional<Shape> shape_;
};

struct Bare {
  Bare(const Benchmark& benchmark, const Cuda& driver)
      : cuda(driver), program(benchmark.bare(driver)), streams(driver, program->streams()) {}
  const Cuda& cuda;
  std::unique_ptr<BareProgram> program;
  Streams streams;
};

class BareForm : public Form {
 public:
  explicit BareForm(std::shared_ptr<Bare> bare) : bare_(std::move(bare)) {}
  void touch(unsigned round) override { bare_->program->touch(round); }
  Outputs outputs() override { return bare_->program->outputs(); }

 protected:
  std::shared_ptr<Bare> bare_;
};

class StreamsForm : public BareForm {
 public:
  using BareForm::BareForm;
  void prepare(const Shape& shape) override { shape_ = shape; }
  void run() override {
    bare_->streams.begin();
    bare_->program->run(bare_->streams, *shape_);
    bare_->streams.synchronize();
  }

 private:
  std::optional<Shape> shape_;
};

class GraphForm : public BareForm {
 public:
  GraphForm(std::shared_ptr<Bare> bare, bool capture) : BareForm(std::move(bare)), capture_(capture) {}
  void prepare(const Shape& shape) override {
    run_.reset();
    run_.emplace(bare_->cuda, capture_ ? captured_graph(shape) : built_graph(shape));
  }
  void run() override {
    run_->launch(bare_->streams.first());
    bare_->cuda.check(bare_->cuda.stream_synchronize(bare_->streams.first()), "waiting for a graph");
  }

 private:
  Graph captured_graph(const Shape& shape) {
    return bare_->streams.capture([&] { bare_->program->run(bare_->streams, shape); });
  }
  Graph built_graph(const Shape& shape) {
    GraphBuilder builder(bare_->cuda);
    bare_->program->build(builder, shape);
    return builder.release();
  }

  bool capture_;
  std::optional<GraphRun> run_;
};

}  // namespace

std::unique_ptr<Form> make_heddle_form(const Benchmark& benchmark, Runtime& runtime) {
  return std::make_unique<HeddleForm>(benchmark, runtime);
}

std::vector<std::unique_ptr<Form>> make_bare_forms(const Benchmark& benchmark, const Cuda& cuda) {
  const auto bare = std::make_shared<Bare>(benchmark, cuda);
  std::vector<std::unique_ptr<Form>> forms;
  forms.push_back(std::make_unique<StreamsForm>(bare));
  forms.push_back(std::make_unique<GraphForm>(bare, true));
  forms.push_back(std::make_unique<GraphForm>(bare, false));
  return forms;
}

}  // namespace heddle::bench::grcuda
