// Calls of other kernels.
#include <fmt/core.h>

#include <algorithm>

#include "ir/check/names.h"
#include "ir/parse/kernel.h"

namespace heddle {

/// call inner(n, a, c), call inner(n = n, x = a)
void KernelReader::call() {
    cursor_.next();
    const Token& name = cursor_.expect_name("the kernel that is called");
    const auto found = file_.kernels.find(Name(name.text));
    if (found == file_.kernels.end()) throw unknown_kernel(name);
    KernelCall call{found->second, {}};
    const Token& open = cursor_.expect("(", "before the arguments of the call");
    const bool by_name = cursor_.peek().is_name() && cursor_.peek(1).is("=");
    while (!cursor_.at(")")) {
        bind(call, by_name);
        if (!cursor_.accept(",")) break;
    }
    cursor_.expect_close(")", open);
    check_bindings(call);
    Statement s = now_;
    s.call = std::move(call);
    emit(std::move(s));
    end_of_statement();
}

Error KernelReader::unknown_kernel(const Token& name) const {
    const std::string near = near_matches(name.text, file_.kernel_names);
    Error error = user_error("name", fmt::format("there is no kernel '{}' in this file", name.text), cursor_.loc(name));
    if (!near.empty()) error.hint(near);
    return error;
}

/// One argument: for the next formal, or for the one it names.
void KernelReader::bind(KernelCall& call, bool by_name) {
    const std::vector<Name>& formals = call.callee->argument_order;
    const Loc loc = cursor_.here();
    Name formal;
    if (by_name) {
        formal = Name(cursor_.expect_name("an argument's name").text);
        cursor_.expect("=", "between the name and the value: all arguments are named or none");
        if (std::find(formals.begin(), formals.end(), formal) == formals.end()) {
            std::vector<std::string> known;
            for (const Name f : formals) known.push_back(f.str());
            throw user_error("name", fmt::format("kernel '{}' has no argument '{}'", call.callee->name.str(), formal.str()),
                             loc)
                .hint(near_matches(formal.str(), known));
        }
    } else {
        if (call.bindings.size() == formals.size())
            throw user_error(
                "type", fmt::format("kernel '{}' takes {} arguments, not more", call.callee->name.str(), formals.size()), loc)
                .note("declared here", call.callee->loc);
        formal = formals[call.bindings.size()];
    }
    for (const auto& [old, value] : call.bindings)
        if (old == formal) throw user_error("name", fmt::format("argument '{}' is given twice", formal.str()), loc);
    call.bindings.emplace_back(formal, exprs_.value());
}

/// All formals have a value, arrays that are written can be, and no array is written under two names.
void KernelReader::check_bindings(KernelCall& call) {
    const KernelData& callee = *call.callee;
    std::vector<std::pair<Name, Expr>> ordered;
    for (const Name formal : callee.argument_order) {
        const auto it =
            std::find_if(call.bindings.begin(), call.bindings.end(), [&](const auto& b) { return b.first == formal; });
        if (it == call.bindings.end())
            throw user_error("type", fmt::format("argument '{}' of kernel '{}' is missing", formal.str(), callee.name.str()),
                             now_.loc)
                .note("declared here", callee.loc);
        ordered.push_back(*it);
    }
    call.bindings = std::move(ordered);
    for (const auto& [formal, value] : call.bindings) check_binding(callee, formal, value);
    check_overlap(call);
}

void KernelReader::check_binding(const KernelData& callee, Name formal, const Expr& value) {
    const Array* wanted = callee.find_array(formal);
    if (!wanted || wanted->by_value()) return;
    const Array* given = value.op() == Op::Read && value.args().empty() ? kernel_.find_array(value.name()) : nullptr;
    if (!given)
        throw user_error(
            "type",
            fmt::format("argument '{}' of kernel '{}' is an array: give the name of one", formal.str(), callee.name.str()),
            value.loc());
    if (wanted->role == Role::In) return;
    writes_.push_back(memory_of(kernel_, given->name));
    if (given->role != Role::In && given->role != Role::Table && !given->is_let && given->view_of.empty()) return;
    throw user_error("name",
                     fmt::format("kernel '{}' writes its argument '{}', but '{}' cannot be written", callee.name.str(),
                                 formal.str(), value.name().str()),
                     value.loc())
        .note("declared here", given->loc);
}

void KernelReader::check_overlap(const KernelCall& call) const {
    const KernelData& callee = *call.callee;
    for (const auto& [formal, value] : call.bindings)
        for (const auto& [other, same] : call.bindings) {
            const Array *a = callee.find_array(formal), *b = callee.find_array(other);
            if (formal == other || !a || !b || a->role == Role::In || a->may_alias || b->may_alias || b->by_value()) continue;
            if (memory_of(kernel_, value.name()) != memory_of(kernel_, same.name())) continue;
            throw user_error("alias",
                             fmt::format("'{}' is given for '{}', which kernel '{}' writes, and for '{}'", value.name().str(),
                                         formal.str(), callee.name.str(), other.str()),
                             same.loc())
                .hint("declare the arguments 'may alias', or copy the array before");
        }
}

}  // namespace heddle
