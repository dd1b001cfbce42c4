// Reading small kernels in tests.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "ir/error.h"
#include "ir/kernel.h"
#include "ir/kernel_data.h"
#include "ir/parse.h"
#include "ir/poly.h"

namespace heddle::test {

/// The first kernel of a text.
inline std::shared_ptr<const KernelData> read_kernel(const std::string& text) {
    return parse(text, "k.heddle").kernels.at(0).share();
}

/// A kernel around statements, with something of every kind to use; its head is one line, so `body` begins on line 2.
inline std::string around(const std::string& body) {
    return "kernel k(n, m : index; a : f64; c : i32; x, y : inout f64[n], A : in f64[n, m], g : in i32[n], f : in f32[n], b : "
           "in bool[n])\n{" +
           body + "}\n";
}
inline std::shared_ptr<const KernelData> read_body(const std::string& body) { return read_kernel(around(body)); }

/// The whole error text of a refusal.
inline std::string refusal(const std::string& text) {
    try {
        parse(text, "k.heddle");
    } catch (const Error& e) {
        CHECK(e.kind() == ErrorKind::User);
        CHECK(e.loc());
        return e.render();
    }
    FAIL("not refused: " << text);
    return {};
}
inline std::string refused_body(const std::string& body) { return refusal(around(body)); }

/// Is there this text in the refusal?
inline void refuses(const std::string& body, const std::string& sentence) {
    INFO(body);
    CHECK_THAT(refused_body(body), Catch::Contains(sentence));
}

inline const Statement& statement(const KernelData& kernel, const std::string& label) {
    for (const auto& s : kernel.statements)
        if (s->label == Name(label)) return *s;
    throw std::runtime_error("no statement " + label);
}

/// Is the statement's value this expression?
inline bool has_value(const KernelData& kernel, const std::string& label, const std::string& expression) {
    return statement(kernel, label).values.at(0).same(parse_expression(kernel, expression));
}

/// Is the statement's domain the set of this formula in isl's syntax?
inline bool has_domain(const KernelData& kernel, const std::string& label, const std::string& formula,
                       const std::vector<Name>& names) {
    return poly::is_equal(statement(kernel, label).domain, poly::read(formula, names));
}

/// Loops, leaves and blocks in one line: "for i [t] { S0 for j { S1 } }".
inline std::string shape_of(const KernelData& kernel, const Node& node) {
    if (node.kind == Node::Kind::Leaf) return kernel.statements.at(node.statement)->label.str();
    std::string out =
        node.kind == Node::Kind::Loop ? std::string("for ") + (node.descending ? "-" : "") + node.loop.str() + " " : "";
    if (!node.temporaries.empty()) {
        out += "[";
        for (const Name t : node.temporaries) out += (out.back() == '[' ? "" : " ") + t.str();
        out += "] ";
    }
    out += "{";
    for (const NodePtr& child : node.children) out += " " + shape_of(kernel, *child);
    return out + " }";
}
inline std::string shape_of(const KernelData& kernel) { return shape_of(kernel, *kernel.root); }

}  // namespace heddle::test
