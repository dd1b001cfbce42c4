#include "target/place_storage.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/checked_int.h"
#include "ir/error.h"
#include "ir/interpret_machine.h"
#include "target/emit.h"

namespace heddle {

Expr memory_elements(const Array& a) {
    if (a.layout.strides.empty()) {
        Expr count = int_literal(1, index_type);
        for (const Expr& e : occupied_extents(a)) count = index_mul(count, e);
        return count;
    }
    Expr last = int_literal(1, index_type);
    for (std::size_t k = 0; k < a.shape.size(); ++k)
        last = index_add(last, index_mul(index_add(a.shape[k], int_literal(-1, index_type)), a.layout.strides[k]));
    return last;
}

std::optional<std::int64_t> constant_bytes(const Array& a) {
    const std::vector<Expr> extents = occupied_extents(a);
    std::vector<Expr> sizes = extents;
    sizes.insert(sizes.end(), a.layout.strides.begin(), a.layout.strides.end());
    const auto constant = [](const Expr& e) {
        const auto form = affine_of(e);
        return form && form->is_constant();
    };
    if (!std::all_of(sizes.begin(), sizes.end(), constant)) return std::nullopt;
    if (std::any_of(extents.begin(), extents.end(), [](const Expr& e) { return affine_of(e)->constant <= 0; })) return 0;
    std::int64_t bytes = 0;
    const auto count = interp::index_value(memory_elements(a), {});
    if (!count || __builtin_mul_overflow(*count, static_cast<std::int64_t>(size_of(a.type)), &bytes))
        throw user_error("storage", fmt::format("the size of '{}' in bytes does not fit 64 bits", a.name.str()), a.loc);
    return std::max<std::int64_t>(bytes, 0);
}

namespace {

/// Do constant strides of an array of constant shape put two elements in one place, or one before its start?
bool strides_collide(const Array& a) {
    std::vector<std::pair<std::int64_t, std::int64_t>> axes;  ///< stride, what the axis reaches
    for (std::size_t k = 0; k < a.layout.strides.size(); ++k) {
        const std::int64_t extent = affine_of(a.shape[k])->constant, stride = affine_of(a.layout.strides[k])->constant;
        if (extent <= 0) return false;
        if (extent > 1) axes.emplace_back(stride, mul(extent - 1, stride));
    }
    std::sort(axes.begin(), axes.end());
    std::int64_t below = 0;
    for (const auto& [stride, reach] : axes) {
        if (stride <= below) return true;
        below = add(below, reach);
    }
    return false;
}

/// Walks the tree with the temporaries that a thread's stack holds at the same time.
class Placement {
public:
    Placement(const KernelData& kernel, const TargetOptions& options) : kernel_(kernel), options_(options) {}
    void node(const Node* n, bool parallel);
    std::map<Name, Storage> take() { return std::move(storage_); }

private:
    Storage place(const Array& a, bool parallel) const;
    Error too_large(const Array& a, std::optional<std::int64_t> bytes) const;
    std::int64_t held() const;

    const KernelData& kernel_;
    const TargetOptions& options_;
    std::vector<std::pair<std::int64_t, Name>> held_;
    std::map<Name, Storage> storage_;
};

std::int64_t Placement::held() const {
    std::int64_t out = 0;
    for (const auto& [bytes, name] : held_) out += bytes;
    return out;
}

Error Placement::too_large(const Array& a, std::optional<std::int64_t> bytes) const {
    std::string why = "its size depends on parameters";
    if (bytes) {
        why = fmt::format("takes {} bytes of a stack that may hold {}", *bytes, options_.stack_limit);
        auto largest = held_;
        std::sort(largest.rbegin(), largest.rend());
        for (std::size_t k = 0; k < largest.size() && k < 3; ++k)
            why += fmt::format("{} '{}' takes {}", k ? "," : ";", largest[k].second.str(), largest[k].first);
    }
    return user_error("storage", fmt::format("'{}' is to be private but {}", a.name.str(), why), a.loc)
        .hint("place " + a.name.str() + " in heap: the host part then allocates it");
}

Storage Placement::place(const Array& a, bool parallel) const {
    Storage s;
    const auto bytes = constant_bytes(a);
    const bool fits = bytes && *bytes <= options_.stack_limit - held();
    if (bytes && !a.layout.strides.empty() && strides_collide(a))
        throw user_error("layout",
                         fmt::format("the strides of '{}' are negative or put two elements in one place", a.name.str()), a.loc)
            .hint("leave them out: the array is then row-major");
    if (a.space == AddressSpace::Private && !fits && !a.shape.empty()) throw too_large(a, bytes);
    const bool asked_out = a.space == AddressSpace::Heap || a.space == AddressSpace::Global;
    if (a.shape.empty() || (fits && !asked_out)) {
        s.bytes = *bytes;
        s.reason = a.space == AddressSpace::Private ? "as asked"
                   : a.shape.empty()                ? "it is a scalar"
                                                    : fmt::format("{} bytes fit the stack's {}", *bytes, options_.stack_limit);
        return s;
    }
    s.kind = Storage::Kind::Allocated;
    s.for_each_thread = parallel;
    s.reason = asked_out ? "as asked"
               : !bytes  ? "its size depends on parameters"
                         : fmt::format("{} bytes do not fit the stack's {}", *bytes + held(), options_.stack_limit);
    if (parallel) s.reason += "; one instance for each thread, as a parallel loop declares it";
    return s;
}

void Placement::node(const Node* n, bool parallel) {
    if (n->kind == Node::Kind::Loop && n->tag.kind == LoopTag::Kind::Parallel) parallel = options_.openmp;
    const std::size_t before = held_.size();
    for (Name t : n->temporaries) {
        const Array* a = kernel_.find_array(t);
        if (!a || a->role != Role::Temp) continue;
        const Storage& s = storage_.emplace(t, place(*a, parallel)).first->second;
        if (s.kind == Storage::Kind::Local) held_.emplace_back(s.bytes, t);
    }
    for (const NodePtr& child : n->children) node(child.get(), parallel);
    held_.resize(before);
}

}  // namespace

std::map<Name, Storage> place_temporaries(const KernelData& kernel, const TargetOptions& options) {
    Placement placement(kernel, options);
    placement.node(kernel.root.get(), false);
    return placement.take();
}

}  // namespace heddle
