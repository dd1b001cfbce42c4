// Loop trees and dependences as text, DOT, SVG and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ir/depend.h"
#include "ir/kernel_data.h"

namespace heddle::tools {

std::string tree_text(const KernelData& kernel);
std::string tree_dot(const KernelData& kernel);
/// Boxes within boxes: a loop around what it runs.
std::string tree_svg(const KernelData& kernel);
nlohmann::ordered_json tree_json(const KernelData& kernel);

std::string dependences_text(const KernelData& kernel, const std::vector<Dependence>& all);
std::string dependences_dot(const KernelData& kernel, const std::vector<Dependence>& all);
/// Statements in layers, each below those it follows within one iteration; arrows to itself or back are carried by loops. Blue
/// is flow, brown anti, purple output, green a reduction.
std::string dependences_svg(const KernelData& kernel, const std::vector<Dependence>& all);
nlohmann::ordered_json dependences_json(const KernelData& kernel, const std::vector<Dependence>& all);

/// All dependences of one kind between two statements, drawn as one arrow.
struct Arrow {
    std::size_t source, sink;
    DependenceKind kind;
    std::string arrays;  ///< with the distance where a loop carries it
};
std::vector<Arrow> arrows_of(const std::vector<Dependence>& all);
const char* colour_of(DependenceKind kind);

/// "for i, downwards, parallel": a loop's line in a tree.
std::string loop_title(const Node& loop);
/// Text as a quoted DOT string.
std::string dot_quoted(const std::string& text);

}  // namespace heddle::tools
