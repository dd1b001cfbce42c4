// Brute force over instances at small sizes: what the analyses must agree with.
#pragma once

#include <map>
#include <set>

#include "ir/access.h"
#include "kernels.h"

namespace heddle::test {

/// An executed instance: statement, values of its loops (and parameters), and its place in the order.
struct Instance {
    std::size_t statement;
    Env env;
    std::vector<std::int64_t> when;
};

/// The place of an instance in a tree's order: positions and loop values from the root down. `value` gives the value of a loop.
template <class F>
bool time_of(const Node& node, std::size_t statement, F value, std::vector<std::int64_t>& when) {
    if (node.kind == Node::Kind::Leaf) return node.statement == statement;
    const std::size_t size = when.size();
    if (node.kind == Node::Kind::Loop) when.push_back(node.descending ? -value(node.loop) : value(node.loop));
    for (std::size_t k = 0; k < node.children.size(); ++k) {
        when.push_back(static_cast<std::int64_t>(k));
        if (time_of(*node.children[k], statement, value, when)) return true;
        when.pop_back();
    }
    when.resize(size);
    return false;
}

/// Every instance of every statement, in order, loops between low and high.
inline std::vector<Instance> instances(const KernelData& kernel, const Env& parameters, int low, int high) {
    std::vector<Instance> out;
    for (std::size_t s = 0; s < kernel.statements.size(); ++s) {
        std::vector<Env> points{parameters};
        for (Name loop : loops_around(kernel, s)) {
            std::vector<Env> next;
            for (const Env& e : points)
                for (int x = low; x <= high; ++x) {
                    next.push_back(e);
                    next.back()[loop] = x;
                }
            points = std::move(next);
        }
        for (const Env& e : points) {
            if (!contains(kernel.statements[s]->domain, e)) continue;
            out.push_back({s, e, {}});
            time_of(
                *kernel.root, s, [&](Name n) { return e.at(n); }, out.back().when);
        }
    }
    std::sort(out.begin(), out.end(), [](const Instance& a, const Instance& b) { return a.when < b.when; });
    return out;
}

struct Touch {
    bool read, write, update;
    std::string element;
};
/// The elements an instance touches; all subscripts must be affine.
inline std::vector<Touch> touches(const KernelData& kernel, const std::vector<std::vector<Access>>& accesses,
                                  const std::map<Name, std::vector<Name>>& scopes, const Instance& x) {
    std::vector<Touch> out;
    for (const Access& a : accesses[x.statement]) {
        if (!contains(a.when, x.env)) continue;
        std::string element = a.array.str();
        if (auto it = scopes.find(a.array); it != scopes.end())
            for (Name l : it->second) element += "," + std::to_string(x.env.at(l));
        for (const auto& f : a.affine) element += ":" + std::to_string(evaluate(*f, x.env));
        out.push_back({a.reads(), a.write, a.reduction && order_free(kernel, *kernel.statements[x.statement]), element});
    }
    return out;
}

/// Calls f(x, y, element) for every dependent pair of instances, x before y, and each element that makes it one.
template <class F>
void each_conflict(const KernelData& kernel, const Env& parameters, int low, int high, F f) {
    const auto all = instances(kernel, parameters, low, high);
    const auto accesses = accesses_of(kernel);
    const auto scopes = scope_loops(kernel);
    std::vector<std::vector<Touch>> list;
    for (const Instance& x : all) list.push_back(touches(kernel, accesses, scopes, x));
    for (std::size_t x = 0; x < all.size(); ++x)
        for (std::size_t y = x + 1; y < all.size(); ++y) {
            std::set<std::string> elements;
            for (const Touch& a : list[x])
                for (const Touch& b : list[y])
                    if ((a.write || b.write) && a.element == b.element && !(a.update && b.update)) elements.insert(a.element);
            for (const std::string& e : elements) f(all[x], all[y], e);
        }
}
/// Calls f(x, y) for every dependent pair of instances, x before y.
template <class F>
void each_dependence(const KernelData& kernel, const Env& parameters, int low, int high, F f) {
    std::vector<std::int64_t> last_x, last_y;
    each_conflict(kernel, parameters, low, high, [&](const Instance& x, const Instance& y, const std::string&) {
        if (x.when == last_x && y.when == last_y) return;
        last_x = x.when;
        last_y = y.when;
        f(x, y);
    });
}

/// The name of the array in an element's text.
inline std::string array_of(const std::string& element) { return element.substr(0, element.find_first_of(",:")); }

/// For every array, which write each read of it sees and which is the last of each element, when instances run in the order of
/// `time`: texts that are equal when these are.
template <class F>
std::map<std::string, std::set<std::string>> flows(const KernelData& kernel, const Env& parameters, int low, int high, F time) {
    auto all = instances(kernel, parameters, low, high);
    std::sort(all.begin(), all.end(), [&](const Instance& a, const Instance& b) { return time(a) < time(b); });
    const auto accesses = accesses_of(kernel);
    const auto scopes = scope_loops(kernel);
    std::map<std::string, std::string> last;
    std::map<std::string, std::set<std::string>> out;
    for (const Instance& x : all) {
        std::string name = std::to_string(x.statement);
        for (const auto& [loop, value] : x.env) name += "," + std::to_string(value);
        const auto list = touches(kernel, accesses, scopes, x);
        for (const Touch& t : list)
            if (t.read) out[array_of(t.element)].insert(name + " reads " + t.element + " of " + last[t.element]);
        for (const Touch& t : list)
            if (t.write) last[t.element] = name;
    }
    for (const auto& [element, name] : last) out[array_of(element)].insert("the end reads " + element + " of " + name);
    return out;
}

}  // namespace heddle::test
