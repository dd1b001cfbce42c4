// Filling in what a caller left out, and checking what it gave.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/affine.h"
#include "ir/error.h"
#include "ir/interpret.h"
#include "ir/interpret_machine.h"
#include "ir/print.h"

namespace heddle {
namespace {

Env known_sizes(const KernelData& kernel, const Arguments& arguments) {
    Env env;
    for (const Parameter& p : kernel.parameters)
        if (const auto it = arguments.sizes.find(p.name.str()); it != arguments.sizes.end()) env[p.name] = it->second;
    return env;
}

std::string names(const std::vector<std::string>& all) {
    return all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", "));
}

/// Every given name must be one of the kernel's.
void check_names(const KernelData& kernel, const Arguments& arguments) {
    std::vector<std::string> sizes, arrays;
    for (const Parameter& p : kernel.parameters) sizes.push_back(p.name.str());
    for (const Array& a : kernel.arrays)
        if (is_passed(a)) arrays.push_back(a.name.str());
    const auto check = [&](const std::string& name, const std::vector<std::string>& all, const char* kind) {
        if (std::find(all.begin(), all.end(), name) != all.end()) return;
        throw user_error("name", fmt::format("{} has no {} '{}'", kernel.name.str(), kind, name))
            .hint(fmt::format("it has: {}", names(all)));
    };
    for (const auto& [name, value] : arguments.sizes) check(name, sizes, "index parameter");
    for (const auto& [name, value] : arguments.arrays) check(name, arrays, "argument");
}

void check_rank_and_type(const Array& array, const Buffer& given) {
    if (given.type != array.type)
        throw user_error("type",
                         fmt::format("{} is {}, but {} is given", array.name.str(), name_of(array.type), name_of(given.type)));
    if (given.shape.size() != array.shape.size())
        throw user_error("shape", fmt::format("{} has {} dimension{}, but the given array has {}", array.name.str(),
                                              array.shape.size(), array.shape.size() == 1 ? "" : "s", given.shape.size()));
    if (given.bytes.size() != static_cast<std::size_t>(given.count()) * static_cast<std::size_t>(size_of(given.type)))
        throw user_error("shape", fmt::format("the given {} does not hold what its shape says", array.name.str()));
}

/// An extent as a form in the sizes that are not known yet; nothing when it is not affine in them.
std::optional<Affine> extent_form(const Expr& e, const Env& sizes) {
    Substitution known;
    for (const auto& [name, value] : sizes) known.emplace_back(name, int_literal(value, index_type));
    return affine_of(substitute(e, known));
}

/// One size from one extent: k * size + c == given. True when it was found.
bool solve(const Array& array, std::size_t axis, std::int64_t given, Env& sizes) {
    const auto form = extent_form(array.shape[axis], sizes);
    if (!form || form->terms.size() != 1 || form->terms[0].first.is_floor()) return false;
    const Name name = form->terms[0].first.symbol;
    const std::int64_t k = form->terms[0].second, rest = given - form->constant;
    if (rest % k != 0)
        throw user_error("shape", fmt::format("no {} makes extent {} of {}, which is {}, equal to the given {}", name.str(),
                                              axis + 1, array.name.str(), print(array.shape[axis]), given));
    sizes[name] = rest / k;
    return true;
}

void deduce(const KernelData& kernel, const Arguments& arguments, Env& sizes) {
    for (bool changed = true; changed;) {
        changed = false;
        for (const Array& array : kernel.arrays) {
            const auto it = is_passed(array) ? arguments.arrays.find(array.name.str()) : arguments.arrays.end();
            if (it == arguments.arrays.end()) continue;
            for (std::size_t axis = 0; axis < array.shape.size(); ++axis)
                changed |= solve(array, axis, it->second.shape[axis], sizes);
        }
    }
}

/// What a missing size would follow from: the arguments whose shape mentions it.
std::string sources_of(const KernelData& kernel, Name size) {
    std::vector<std::string> out;
    for (const Array& array : kernel.arrays)
        if (is_passed(array) &&
            std::any_of(array.shape.begin(), array.shape.end(), [&](const Expr& e) { return mentions(e, size); }))
            out.push_back(array.name.str());
    return out.empty() ? std::string() : fmt::format(", or one of {}, whose shape it is in", fmt::join(out, ", "));
}

/// Sizes that `where` fixes to a number, as the step `fix` does.
void take_fixed(const KernelData& kernel, Env& sizes) {
    for (const Parameter& p : kernel.parameters)
        for (const Constraint& c : kernel.assumptions.convex() ? kernel.assumptions.pieces[0] : Conjunct())
            if (c.equality && c.form.terms.size() == 1 && c.form.coefficient(p.name) == 1)
                sizes.emplace(p.name, -c.form.constant);
}

void check_determined(const KernelData& kernel, const Env& sizes) {
    for (const Parameter& p : kernel.parameters)
        if (!sizes.count(p.name))
            throw user_error("size", fmt::format("the size {} of {} is not determined", p.name.str(), kernel.name.str()))
                .hint(fmt::format("give {}{}", p.name.str(), sources_of(kernel, p.name)));
}

std::string sizes_text(const Env& sizes) {
    std::vector<std::string> out;
    for (const auto& [name, value] : sizes) out.push_back(fmt::format("{}={}", name.str(), value));
    return fmt::format("{}", fmt::join(out, ", "));
}

void check_where(const KernelData& kernel, const Env& sizes) {
    if (contains(kernel.assumptions, sizes)) return;
    std::string broken = print(kernel.assumptions);
    if (kernel.assumptions.convex())
        for (const Constraint& c : kernel.assumptions.pieces[0])
            if (!holds(c, sizes)) {
                broken = print(c);
                break;
            }
    throw user_error("where", fmt::format("{} needs {}, which {} breaks", kernel.name.str(), broken, sizes_text(sizes)),
                     kernel.loc);
}

std::vector<std::int64_t> extents(const Array& array, const Env& sizes) {
    std::vector<std::int64_t> out;
    for (const Expr& e : array.shape) {
        const auto v = interp::index_value(e, sizes);
        if (!v)
            throw user_error(
                "shape",
                fmt::format("the extent {} of {} does not fit 64 bits for {}", print(e), array.name.str(), sizes_text(sizes)),
                array.loc);
        out.push_back(std::max<std::int64_t>(*v, 0));
    }
    return out;
}

void check_shape(const Array& array, const Buffer& given, const Env& sizes) {
    const std::vector<std::int64_t> wanted = extents(array, sizes);
    if (wanted == given.shape) return;
    throw user_error(
        "shape", fmt::format("{} is {}[{}] for {}, but {}[{}] is given", array.name.str(), name_of(array.type),
                             fmt::join(wanted, ", "), sizes_text(sizes), name_of(given.type), fmt::join(given.shape, ", ")));
}

}  // namespace

bool is_passed(const Array& array) { return array.is_argument() && array.view_of.empty(); }

void complete_in_place(const KernelData& kernel, Arguments& arguments) {
    check_names(kernel, arguments);
    for (const Array& array : kernel.arrays)
        if (const auto it = arguments.arrays.find(array.name.str()); is_passed(array) && it != arguments.arrays.end())
            check_rank_and_type(array, it->second);
    Env sizes = known_sizes(kernel, arguments);
    deduce(kernel, arguments, sizes);
    take_fixed(kernel, sizes);
    check_determined(kernel, sizes);
    check_where(kernel, sizes);
    for (const auto& [name, value] : sizes) arguments.sizes[name.str()] = value;
    for (const Array& array : kernel.arrays) {
        if (!is_passed(array)) continue;
        const auto it = arguments.arrays.find(array.name.str());
        if (it != arguments.arrays.end())
            check_shape(array, it->second, sizes);
        else if (array.role == Role::Out)
            arguments.arrays.emplace(array.name.str(), Buffer::zeros(array.type, extents(array, sizes)));
        else
            throw user_error("missing", fmt::format("{} needs a value for its {} argument {}", kernel.name.str(),
                                                    array.role == Role::In ? "in" : "inout", array.name.str()));
    }
}

Arguments complete(const Kernel& kernel, Arguments given) {
    complete_in_place(kernel.data(), given);
    return given;
}

}  // namespace heddle
