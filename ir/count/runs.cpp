#include "ir/count/runs.h"

#include <algorithm>

#include "ir/tree.h"

namespace heddle {

const Array* Runs::find_array(const KernelData& kernel, Name name) const {
    const auto it = locals.find(name);
    return it == locals.end() ? kernel.find_array(name) : &it->second;
}

namespace {

/// What the names of a called kernel mean where it is called.
struct Binding {
    std::string prefix;   ///< "" in the outermost kernel
    Substitution values;  ///< parameters, scalars, loops
    std::map<Name, Name> arrays;
    std::vector<Name> loops;  ///< around the call
    Domain domain;            ///< of the call

    Name rename(Name n) const { return prefix.empty() ? n : Name(prefix + n.str()); }
};

class Flattener {
public:
    explicit Flattener(const KernelData& kernel) : outermost_(kernel) {}
    Runs take() {
        flatten(outermost_, {});
        return std::move(runs_);
    }

private:
    void flatten(const KernelData& kernel, Binding b);
    void call(const KernelData& kernel, const Run& at, const KernelCall& call, const Binding& b);
    void bind_locals(const KernelData& kernel, Binding& b);
    Access moved(const Access& a, const KernelData& kernel, const Binding& b) const;

    const KernelData& outermost_;
    Runs runs_;
};

Domain moved(Domain d, const Binding& b) {
    for (const auto& [name, value] : b.values)
        if (d.mentions(name))
            if (const auto form = affine_of(value)) d = d.substitute(name, *form);
    return d;
}

/// Gives the callee's loops and local arrays names of their own.
void Flattener::bind_locals(const KernelData& kernel, Binding& b) {
    walk(kernel.root, [&](const NodePtr& n) {
        if (n->kind == Node::Kind::Loop) b.values.emplace_back(n->loop, variable(b.rename(n->loop)));
    });
    for (const Array& a : kernel.arrays) {
        if (a.is_argument()) continue;
        Array local = a;
        local.name = b.rename(a.name);
        for (Expr& size : local.shape) size = substitute(size, b.values);
        b.arrays[a.name] = local.name;
        if (a.shape.empty()) b.values.emplace_back(a.name, read(local.name, {}, a.type));
        runs_.locals[local.name] = std::move(local);
    }
}

/// The callee's access as one of the caller's array.
Access Flattener::moved(const Access& a, const KernelData& kernel, const Binding& b) const {
    Access out = a;
    const auto it = b.arrays.find(a.array);
    if (it != b.arrays.end()) out.array = it->second;
    for (Expr& e : out.subscripts) e = substitute(e, b.values);
    for (std::size_t k = 0; k < out.affine.size(); ++k) out.affine[k] = affine_of(out.subscripts[k]);
    out.when = heddle::moved(a.when, b);
    const Array *formal = kernel.find_array(a.array), *actual = runs_.find_array(outermost_, out.array);
    out.whole = a.whole || !formal || !actual || formal->shape.size() != actual->shape.size();
    return out;
}

void Flattener::call(const KernelData& kernel, const Run& at, const KernelCall& call, const Binding& b) {
    Binding inner;
    inner.prefix = at.label.str() + ".";
    inner.loops = at.loops;
    inner.domain = at.domain;
    for (const auto& [name, value] : call.bindings) {
        const Array* formal = call.callee->find_array(name);
        const Expr bound = substitute(expand_rules(kernel, value), b.values);
        if (!formal || formal->by_value()) {
            inner.values.emplace_back(name, bound);
            continue;
        }
        const auto it = b.arrays.find(value.name());
        inner.arrays[name] = it == b.arrays.end() ? value.name() : it->second;
    }
    flatten(*call.callee, std::move(inner));
}

void Flattener::flatten(const KernelData& kernel, Binding b) {
    const bool outermost = b.prefix.empty();
    if (!outermost) bind_locals(kernel, b);
    const std::vector<Path> paths = paths_of(kernel);
    std::vector<std::vector<Access>> accesses = accesses_of(kernel);
    for (std::size_t k = 0; k < kernel.statements.size(); ++k) {
        const Statement& s = *kernel.statements[k];
        Run run{&kernel, &s, b.rename(s.label), b.loops, false, s.domain, std::move(accesses[k])};
        for (const Name loop : paths[k].loop_names()) run.loops.push_back(b.rename(loop));
        const auto around = paths[k].loops();
        run.descending = !around.empty() && around.back()->descending;
        if (!outermost) {
            run.domain = intersect(b.domain, heddle::moved(s.domain, b));
            for (Access& a : run.accesses) a = moved(a, kernel, b);
        }
        if (s.call)
            call(kernel, run, *s.call, b);
        else
            runs_.statements.push_back(std::move(run));
    }
}

}  // namespace

Runs runs_of(const KernelData& kernel) { return Flattener(kernel).take(); }

}  // namespace heddle
