#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ir/print.h"
#include "tools/heddle/draw.h"
#include "tools/heddle/svg.h"

namespace heddle::tools {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t widest_statement = 90;

std::string tag_text(const LoopTag& tag) {
    switch (tag.kind) {
        case LoopTag::Kind::Sequential:
            return "";
        case LoopTag::Kind::Vector:
            return "vector";
        case LoopTag::Kind::Unroll:
            return "unroll";
        case LoopTag::Kind::Block:
        case LoopTag::Kind::Lane:
            return mapping_text(tag);
        case LoopTag::Kind::Parallel:
            break;
    }
    std::string out = "parallel";
    if (tag.dynamic) out += tag.chunk > 0 ? fmt::format(" dynamic({})", tag.chunk) : " dynamic";
    if (!tag.dynamic && tag.chunk > 0) out += fmt::format(" chunk({})", tag.chunk);
    if (tag.collapse > 1) out += fmt::format(" collapse({})", tag.collapse);
    if (tag.threshold > 0) out += fmt::format(" if({})", tag.threshold);
    return out;
}

std::string statement_title(const KernelData& kernel, std::size_t index) {
    const Statement& s = *kernel.statements[index];
    return fmt::format("{}: {}", s.label.str(), print_statement(kernel, s));
}

std::string temporaries_title(const Node& node) {
    std::vector<std::string> names;
    for (const Name t : node.temporaries) names.push_back(t.str());
    return names.empty() ? std::string() : fmt::format("temp {}", fmt::join(names, ", "));
}

std::string domain_title(const Statement& s) { return s.domain.is_everything() ? std::string() : print(s.domain); }

void text_of(const KernelData& kernel, const Node& node, int depth, std::string& out) {
    const std::string pad(static_cast<std::size_t>(2 * depth), ' ');
    if (node.kind == Node::Kind::Leaf) {
        const std::string domain = domain_title(*kernel.statements[node.statement]);
        out += fmt::format("{}{}{}{}\n", pad, statement_title(kernel, node.statement), domain.empty() ? "" : "    # ", domain);
        return;
    }
    const bool loop = node.kind == Node::Kind::Loop;
    const bool shown = loop || depth == 0 || !node.temporaries.empty();
    if (loop) out += pad + loop_title(node) + "\n";
    if (!loop && shown) out += pad + (depth == 0 ? kernel.name.str() : "block") + "\n";
    if (const std::string temps = temporaries_title(node); !temps.empty()) out += pad + "  " + temps + "\n";
    for (const NodePtr& child : node.children) text_of(kernel, *child, depth + (shown ? 1 : 0), out);
}

/// Writes a node and gives its number; numbers rise in written order.
int dot_of(const KernelData& kernel, const Node& node, int& next, std::string& out) {
    const int id = next++;
    const bool leaf = node.kind == Node::Kind::Leaf;
    std::string title = leaf                            ? shortened(statement_title(kernel, node.statement), widest_statement)
                        : node.kind == Node::Kind::Loop ? loop_title(node)
                        : id == 0                       ? kernel.name.str()
                                                        : "block";
    if (const std::string temps = temporaries_title(node); !temps.empty()) title += "\n" + temps;
    out += fmt::format("  n{} [label={}, shape={}];\n", id, dot_quoted(title), leaf ? "box" : "ellipse");
    for (const NodePtr& child : node.children) {
        const int below = dot_of(kernel, *child, next, out);
        out += fmt::format("  n{} -> n{};\n", id, below);
    }
    return id;
}

Json json_of(const KernelData& kernel, const Node& node) {
    Json out;
    if (node.kind == Node::Kind::Leaf) {
        const Statement& s = *kernel.statements[node.statement];
        return {{"statement", s.label.str()}, {"text", print_statement(kernel, s)}, {"domain", print(s.domain)}};
    }
    if (node.kind == Node::Kind::Loop) {
        out["loop"] = node.loop.str();
        if (node.descending) out["descending"] = true;
        if (const std::string tag = tag_text(node.tag); !tag.empty()) out["tag"] = tag;
    } else {
        out["block"] = true;
    }
    for (const Name t : node.temporaries) out["temporaries"].push_back(t.str());
    out["children"] = Json::array();
    for (const NodePtr& child : node.children) out["children"].push_back(json_of(kernel, *child));
    return out;
}

/// Draws nodes as nested boxes.
class TreePainter {
public:
    explicit TreePainter(const KernelData& kernel) : kernel_(kernel) {}
    std::string paint() {
        const Size size = measure(*kernel_.root);
        place(*kernel_.root, 8, 8, size.width);
        return svg_.str();
    }

private:
    struct Size {
        double width = 0, height = 0;
    };
    static constexpr double gap = 6;

    std::vector<std::string> lines(const Node& node) const {
        std::vector<std::string> out;
        if (node.kind == Node::Kind::Leaf) {
            const Statement& s = *kernel_.statements[node.statement];
            out.push_back(shortened(statement_title(kernel_, node.statement), widest_statement));
            if (const std::string d = domain_title(s); !d.empty()) out.push_back(shortened(d, widest_statement));
            return out;
        }
        out.push_back(node.kind == Node::Kind::Loop ? loop_title(node)
                      : &node == kernel_.root.get() ? kernel_.name.str()
                                                    : "block");
        if (const std::string temps = temporaries_title(node); !temps.empty())
            out.push_back(shortened(temps, widest_statement));
        return out;
    }
    Size measure(const Node& node) {
        Size size;
        for (const std::string& l : lines(node)) {
            size.width = std::max(size.width, static_cast<double>(characters(l)) * Svg::character + 2 * gap);
            size.height += Svg::line;
        }
        for (const NodePtr& child : node.children) {
            const Size inner = measure(*child);
            size.width = std::max(size.width, inner.width + 2 * gap);
            size.height += inner.height + gap;
        }
        size.height += gap;
        sizes_[&node] = size;
        return size;
    }
    void place(const Node& node, double x, double y, double width) {
        const bool leaf = node.kind == Node::Kind::Leaf;
        const bool tagged = node.tag.kind != LoopTag::Kind::Sequential;
        const char* fill = leaf ? "#ffffff" : node.kind == Node::Kind::Block ? "#f4f4f4" : tagged ? "#d9ecd9" : "#e3ecf7";
        svg_.box(x, y, width, sizes_[&node].height, fill, leaf ? "#999" : "#557");
        bool first = true;
        for (const std::string& l : lines(node)) {
            svg_.text(x + gap, y + Svg::line - 3, l, first ? "#222" : "#777");
            y += Svg::line;
            first = false;
        }
        for (const NodePtr& child : node.children) {
            place(*child, x + gap, y, width - 2 * gap);
            y += sizes_[child.get()].height + gap;
        }
    }

    const KernelData& kernel_;
    std::map<const Node*, Size> sizes_;
    Svg svg_;
};

}  // namespace

std::string loop_title(const Node& loop) {
    std::string out = "for " + loop.loop.str();
    if (loop.descending) out += " downwards";
    if (loop.separate) out += " separate";
    if (const std::string tag = tag_text(loop.tag); !tag.empty()) out += " " + tag;
    return out;
}

std::string dot_quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

std::string tree_text(const KernelData& kernel) {
    std::string out;
    text_of(kernel, *kernel.root, 0, out);
    return out;
}

std::string tree_dot(const KernelData& kernel) {
    std::string out = fmt::format("digraph {} {{\n  node [fontname=\"monospace\"];\n", dot_quoted(kernel.name.str()));
    int next = 0;
    dot_of(kernel, *kernel.root, next, out);
    return out + "}\n";
}

std::string tree_svg(const KernelData& kernel) { return TreePainter(kernel).paint(); }

Json tree_json(const KernelData& kernel) { return {{"kernel", kernel.name.str()}, {"tree", json_of(kernel, *kernel.root)}}; }

}  // namespace heddle::tools
