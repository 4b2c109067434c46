// HITS: hubs and authorities. In each of five iterations the vectors of both are multiplied by the graph's matrix and
// the transposed one, and divided by their sums; the host resets sums and row counters.
#include <algorithm>

#include "benchmark.hpp"
#include "hits_reference.hpp"
#include "parallel.hpp"

namespace heddle::bench::grcuda {
namespace {

void ones(std::span<float> values) {
  parallel_for(values.size(), [&](std::size_t begin, std::size_t end) {
    std::fill(&values[begin], &values[begin] + (end - begin), 1.0f);
  });
}

struct HeddleMatrix {
  HeddleMatrix(Runtime& runtime, const SparseGraph& graph, bool transposed)
      : begins(runtime.array<int>(graph.vertices() + 1)),
        columns(runtime.array<int>(graph.edges())),
        values(runtime.array<float>(graph.edges())),
        first(transposed ? graph.first_in_transposed() : 0) {
    graph.write({begins.write(), columns.write(), values.write()}, transposed);
  }
  void touch(unsigned round) {
    begins.write()[0] = 0;
    columns.write()[0] = columns.read()[0];
    values.write()[first] = hits_first_value(round);
  }
  Array<int> begins, columns;
  Array<float> values;
  std::size_t first;
};

class OnHeddle : public HeddleProgram {
 public:
  OnHeddle(Runtime& runtime, const Place& place, const SparseGraph& graph)
      : runtime_(runtime),
        module_(runtime.load_ptx_file(place.kernels / "hits.ptx")),
        n_(static_cast<int>(graph.vertices())),
        matrix_(runtime, graph, false),
        transposed_(runtime, graph, true),
        a1_(runtime.array<float>(graph.vertices())),
        a2_(runtime.array<float>(graph.vertices())),
        h1_(runtime.array<float>(graph.vertices())),
        h2_(runtime.array<float>(graph.vertices())),
        an_(runtime.array<double>(1)),
        hn_(runtime.array<double>(1)),
        rows_a_(runtime.array<int>(1)),
        rows_h_(runtime.array<int>(1)) {}
  void touch(unsigned round) override {
    matrix_.touch(round);
    transposed_.touch(round);
    ones(a1_.write());
    ones(h1_.write());
    an_.write()[0] = hn_.write()[0] = 0;
    rows_a_.write()[0] = rows_h_.write()[0] = 0;
  }
  void run(const Shape& shape) override {
    const LaunchOptions line = shape.line.options();
    for (unsigned i = 0; i < hits_iterations; ++i) {
      multiply(line, transposed_, h1_, a2_, rows_a_);
      multiply(line, matrix_, a1_, h2_, rows_h_);
      runtime_.launch(sum_, line, a2_, an_, n_);
      runtime_.launch(sum_, line, h2_, hn_, n_);
      runtime_.launch(divide_, line, a2_, an_, a1_, n_);
      runtime_.launch(divide_, line, h2_, hn_, h1_, n_);
      an_.write()[0] = 0;
      hn_.write()[0] = 0;
      rows_a_.write()[0] = 0;
      rows_h_.write()[0] = 0;
    }
    static_cast<void>(a1_.read()[0]);
    static_cast<void>(h1_.read()[0]);
  }
  Outputs outputs() override { return {output(a1_), output(h1_)}; }

 private:
  void multiply(const LaunchOptions& line, const HeddleMatrix& m, const Array<float>& x, const Array<float>& y,
                const Array<int>& next_row) {
    runtime_.launch(spmv_, line, m.begins, m.columns, m.values, x, y, next_row, n_);
  }

  Runtime& runtime_;
  Module module_;
  Kernel spmv_ = module_.kernel("spmv"), sum_ = module_.kernel("sum"), divide_ = module_.kernel("divide");
  int n_;
  HeddleMatrix matrix_, transposed_;
  Array<float> a1_, a2_, h1_, h2_;
  Array<double> an_, hn_;
  Array<int> rows_a_, rows_h_;
};

struct BareMatrix {
  BareMatrix(const Cuda& cuda, const SparseGraph& graph, bool transposed)
      : begins(cuda, graph.vertices() + 1, On::both),
        columns(cuda, graph.edges(), On::both),
        values(cuda, graph.edges(), On::both),
        first(transposed ? graph.first_in_transposed() : 0) {
    graph.write({begins.values(), columns.values(), values.values()}, transposed);
  }
  void touch(unsigned round) { values.values()[first] = hits_first_value(round); }
  void copy_in(Streams& s, unsigned stream) const {
    s.copy_in(stream, begins);
    s.copy_in(stream, columns);
    s.copy_in(stream, values);
  }
  BareArray<int> begins, columns;
  BareArray<float> values;
  std::size_t first;
};

// The host resets nothing here: that is done in the streams.
class Bare : public BareProgram {
 public:
  Bare(const Cuda& cuda, const Place& place, const SparseGraph& graph)
      : module_(cuda, place.kernels / "hits.ptx"),
        n_(static_cast<int>(graph.vertices())),
        matrix_(cuda, graph, false),
        transposed_(cuda, graph, true),
        a1_(cuda, graph.vertices(), On::both),
        a2_(cuda, graph.vertices()),
        h1_(cuda, graph.vertices(), On::both),
        h2_(cuda, graph.vertices()),
        an_(cuda, 1),
        hn_(cuda, 1),
        rows_a_(cuda, 1),
        rows_h_(cuda, 1) {}
  // Results come into the arrays that the ones were in.
  void touch(unsigned round) override {
    matrix_.touch(round);
    transposed_.touch(round);
    ones(a1_.values());
    ones(h1_.values());
  }
  unsigned streams() const override { return 2; }
  void run(Streams& s, const Shape& shape) override {
    transposed_.copy_in(s, 0);
    s.copy_in(0, h1_);
    matrix_.copy_in(s, 1);
    s.copy_in(1, a1_);
    Event divided_a = nullptr, divided_h = nullptr;
    for (unsigned i = 0; i < hits_iterations; ++i) {
      s.fill(0, rows_a_);
      s.fill(0, an_);
      s.fill(1, rows_h_);
      s.fill(1, hn_);
      if (i > 0) {  // what a product reads the other stream has written
        s.wait(0, divided_h);
        s.wait(1, divided_a);
      }
      s.launch(0, spmv_, shape.line, transposed_.begins, transposed_.columns, transposed_.values, h1_, a2_, rows_a_,
               n_);
      s.launch(1, spmv_, shape.line, matrix_.begins, matrix_.columns, matrix_.values, a1_, h2_, rows_h_, n_);
      const Event read_h = s.mark(0), read_a = s.mark(1);
      s.launch(0, sum_, shape.line, a2_, an_, n_);
      s.launch(1, sum_, shape.line, h2_, hn_, n_);
      s.wait(0, read_a);
      s.wait(1, read_h);
      s.launch(0, divide_, shape.line, a2_, an_, a1_, n_);
      s.launch(1, divide_, shape.line, h2_, hn_, h1_, n_);
      divided_a = s.mark(0);
      divided_h = s.mark(1);
    }
    s.copy_out(0, a1_);
    s.copy_out(1, h1_);
  }
  void build(GraphBuilder& g, const Shape& shape) override {
    const Grid& line = shape.line;
    std::vector<Node> before_a{g.copy_in(transposed_.begins), g.copy_in(transposed_.columns),
                               g.copy_in(transposed_.values), g.copy_in(h1_)};
    std::vector<Node> before_h{g.copy_in(matrix_.begins), g.copy_in(matrix_.columns), g.copy_in(matrix_.values),
                               g.copy_in(a1_)};
    Node last_spmv_a = nullptr, last_spmv_h = nullptr, last_a = nullptr, last_h = nullptr;
    for (unsigned i = 0; i < hits_iterations; ++i) {
      before_a.push_back(g.fill(rows_a_, 0, behind(last_spmv_a)));
      before_h.push_back(g.fill(rows_h_, 0, behind(last_spmv_h)));
      const Node an = g.fill(an_, 0, behind(last_a)), hn = g.fill(hn_, 0, behind(last_h));
      const Node spmv_a = g.launch(before_a, spmv_, line, transposed_.begins, transposed_.columns, transposed_.values,
                                   h1_, a2_, rows_a_, n_);
      const Node spmv_h =
          g.launch(before_h, spmv_, line, matrix_.begins, matrix_.columns, matrix_.values, a1_, h2_, rows_h_, n_);
      const Node sum_a = g.launch({spmv_a, an}, sum_, line, a2_, an_, n_);
      const Node sum_h = g.launch({spmv_h, hn}, sum_, line, h2_, hn_, n_);
      last_a = g.launch({sum_a, spmv_h}, divide_, line, a2_, an_, a1_, n_);
      last_h = g.launch({sum_h, spmv_a}, divide_, line, h2_, hn_, h1_, n_);
      last_spmv_a = spmv_a;
      last_spmv_h = spmv_h;
      // A product overwrites what the division of its own branch has read.
      before_a = before_h = {last_a, last_h};
    }
    g.copy_out(a1_, {last_a});
    g.copy_out(h1_, {last_h});
  }
  Outputs outputs() override { return {a1_.output(), h1_.output()}; }

 private:
  static std::vector<Node> behind(Node node) { return node == nullptr ? std::vector<Node>() : std::vector{node}; }

  BareModule module_;
  Function spmv_ = module_.function("spmv"), sum_ = module_.function("sum"), divide_ = module_.function("divide");
  int n_;
  BareMatrix matrix_, transposed_;
  BareArray<float> a1_, a2_, h1_, h2_;
  BareArray<double> an_, hn_;
  BareArray<int> rows_a_, rows_h_;
};

class Hits : public Benchmark {
 public:
  Hits(const Place& place, std::unique_ptr<SparseGraph> graph) : place_(place), graph_(std::move(graph)) {}
  std::uint64_t bytes() const override {
    return 2 * (graph_->vertices() + 1) * 4 + 2 * graph_->edges() * 8 + 4 * graph_->vertices() * 4 + 24;
  }
  std::unique_ptr<HeddleProgram> on_heddle(Runtime& runtime) const override {
    return std::make_unique<OnHeddle>(runtime, place_, *graph_);
  }
  std::unique_ptr<BareProgram> bare(const Cuda& cuda) const override {
    return std::make_unique<Bare>(cuda, place_, *graph_);
  }
  // In each iteration: product of a and h, sum of a and h, division of a and h. The host waits for both divisions.
  Plan plan() const override {
    Plan plan;
    for (std::size_t i = 0; i < hits_iterations; ++i) {
      const std::size_t at = 6 * i;
      const auto before = i == 0 ? std::vector<std::size_t>() : std::vector{at - 2, at - 1};
      const std::vector<std::size_t> parents[] = {before, before, {at}, {at + 1}, {at + 1, at + 2}, {at, at + 3}};
      for (const auto& behind : parents) plan.launches.push_back({behind, {}});
    }
    plan.reads = {6 * hits_iterations - 2, 6 * hits_iterations - 1};
    return plan;
  }
  bool exact() const override { return false; }
  std::string difference(const Outputs& outputs) override {
    if (!reference_) reference_ = std::make_unique<HitsReference>(*graph_);
    return reference_->difference(as<float>(outputs.at(0)), as<float>(outputs.at(1)));
  }

 private:
  Place place_;
  std::unique_ptr<SparseGraph> graph_;
  std::unique_ptr<HitsReference> reference_;
};

}  // namespace

std::unique_ptr<Benchmark> make_hits(const Place& place, std::uint64_t bytes) {
  return std::make_unique<Hits>(place, make_random_graph(std::max<std::size_t>(bytes / 72, 16)));
}
std::unique_ptr<Benchmark> make_hits(const Place& place, const std::filesystem::path& matrix) {
  return std::make_unique<Hits>(place, read_graph(matrix));
}

}  // namespace heddle::bench::grcuda
