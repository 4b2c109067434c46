#include "layering/include_graph.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>

namespace heddle::tests {
namespace {

// A shortest way from one node to another, both in it, through nodes of `within`; it has an include at the least, so
// that one from a node to itself is a cycle. Empty: there is none.
std::vector<std::string> shortest_way(const IncludeGraph& graph, const std::string& from, const std::string& to,
                                      const std::set<std::string>* within) {
  std::map<std::string, std::string> before;
  std::deque<std::string> rest = {from};
  while (!rest.empty() && before.count(to) == 0) {
    const std::string node = rest.front();
    rest.pop_front();
    const auto found = graph.find(node);
    if (found == graph.end()) continue;
    for (const std::string& next : found->second)
      if ((!within || within->count(next) > 0) && before.emplace(next, node).second) rest.push_back(next);
  }
  if (before.count(to) == 0) return {};
  std::vector<std::string> way = {to};
  do way.push_back(before.at(way.back()));
  while (way.back() != from);
  std::reverse(way.begin(), way.end());
  return way;
}

// Of those there are: a path relative to src/, else to the folder of the file.
std::optional<std::string> resolve(const std::string& file, const std::string& included,
                                   const std::set<std::string>& paths) {
  const std::string from_src = "src/" + included;
  if (paths.count(from_src) > 0) return from_src;
  const std::filesystem::path beside = std::filesystem::path(file).parent_path() / included;
  const std::string path = beside.lexically_normal().generic_string();
  if (paths.count(path) > 0) return path;
  return std::nullopt;
}

// Tarjan's algorithm: a node's lowest number that is reached from it and still open.
class TangleFinder {
 public:
  explicit TangleFinder(const IncludeGraph& graph) : graph_(graph) {}
  std::vector<std::set<std::string>> find() {
    for (const auto& [node, includes] : graph_)
      if (numbers_.count(node) == 0) visit(node);
    return std::move(found_);
  }

 private:
  std::size_t visit(const std::string& node) {
    const std::size_t number = numbers_.size();
    std::size_t lowest = numbers_[node] = number;
    open_.push_back(node);
    is_open_.insert(node);
    for (const std::string& next : graph_.at(node)) {
      if (numbers_.count(next) == 0)
        lowest = std::min(lowest, visit(next));
      else if (is_open_.count(next) > 0)
        lowest = std::min(lowest, numbers_.at(next));
    }
    if (lowest == number) close(node);
    return lowest;
  }
  void close(const std::string& first) {
    const auto begin = std::find(open_.begin(), open_.end(), first);
    std::set<std::string> tangle(begin, open_.end());
    for (const std::string& node : tangle) is_open_.erase(node);
    open_.erase(begin, open_.end());
    if (tangle.size() > 1) found_.push_back(std::move(tangle));
  }

  const IncludeGraph& graph_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> open_;
  std::set<std::string> is_open_;
  std::vector<std::set<std::string>> found_;
};

}  // namespace

std::string node_of(const std::string& path) {
  for (const char* ending : {".hpp", ".cpp"})
    if (path.ends_with(ending)) return path.substr(0, path.size() - 4);
  return path;
}

IncludeGraph include_graph(const std::vector<SourceText>& files) {
  std::set<std::string> paths;
  for (const SourceText& file : files) paths.insert(file.path);
  IncludeGraph graph;
  for (const SourceText& file : files) {
    const std::string node = node_of(file.path);
    std::set<std::string>& includes = graph[node];
    for (const std::string& line : file.lines) {
      const auto included = quoted_include(line);
      const auto path = included ? resolve(file.path, *included, paths) : std::nullopt;
      if (path && node_of(*path) != node) includes.insert(node_of(*path));
    }
  }
  return graph;
}

std::vector<std::set<std::string>> tangles(const IncludeGraph& graph) { return TangleFinder(graph).find(); }

std::vector<std::string> shortest_cycle(const IncludeGraph& graph, const std::set<std::string>& tangle) {
  std::vector<std::string> shortest;
  for (const std::string& node : tangle) {
    std::vector<std::string> cycle = shortest_way(graph, node, node, &tangle);
    if (shortest.empty() || cycle.size() < shortest.size()) shortest = std::move(cycle);
  }
  return shortest;
}

bool leads(const IncludeGraph& graph, const std::string& from, const std::string& to) {
  return !shortest_way(graph, from, to, nullptr).empty();
}

}  // namespace heddle::tests
