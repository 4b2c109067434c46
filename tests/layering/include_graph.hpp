// Which source file includes which, and the cycles in that.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "layering/source_tree.hpp"

namespace heddle::tests {

// By node, the nodes that it includes. A node is a header with its source: "src/ptx/parser" stands for parser.hpp and
// parser.cpp; files with other endings are nodes of their own.
using IncludeGraph = std::map<std::string, std::set<std::string>>;

std::string node_of(const std::string& path);
// Of includes that lead to one of these files, relative to src/ or to the including file's folder.
IncludeGraph include_graph(const std::vector<SourceText>& files);

// The largest sets of nodes in which each leads to each other, without those of one node.
std::vector<std::set<std::string>> tangles(const IncludeGraph& graph);
// The nodes of a shortest cycle within a tangle, the first one again at the end.
std::vector<std::string> shortest_cycle(const IncludeGraph& graph, const std::set<std::string>& tangle);
// Whether there is a way along includes.
bool leads(const IncludeGraph& graph, const std::string& from, const std::string& to);

}  // namespace heddle::tests
