#include "target/place_storage.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/checked_int.h"
#include "ir/error.h"
#include "target/emit.h"

namespace heddle {

std::optional<std::int64_t> constant_bytes(const Array& a) {
    std::int64_t bytes = size_of(a.type);
    if (!a.layout.strides.empty()) {
        std::int64_t last = 0;
        for (std::size_t k = 0; k < a.shape.size(); ++k) {
            const auto extent = affine_of(a.shape[k]), stride = affine_of(a.layout.strides[k]);
            if (!extent || !stride || !extent->is_constant() || !stride->is_constant()) return std::nullopt;
            if (extent->constant <= 0) return 0;
            last = add(last, mul(extent->constant - 1, stride->constant));
        }
        return mul(bytes, add(last, 1));
    }
    for (const Expr& e : occupied_extents(a)) {
        const auto extent = affine_of(e);
        if (!extent || !extent->is_constant()) return std::nullopt;
        bytes = mul(bytes, std::max<std::int64_t>(0, extent->constant));
    }
    return bytes;
}

namespace {

Error too_large(const Array& a, const std::string& size, std::int64_t limit) {
    return user_error("storage",
                      fmt::format("'{}' is to be private but takes {}; private temporaries may hold {} bytes", a.name.str(),
                                  size, limit),
                      a.loc)
        .hint("place " + a.name.str() + " in heap: the host part then allocates it");
}

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

class Placement {
public:
    Placement(const KernelData& kernel, const TargetOptions& options) : kernel_(kernel), options_(options) {}
    void node(const Node* n, std::int64_t held, bool parallel);
    std::map<Name, Storage> take() { return std::move(storage_); }

private:
    void one(const Array& a, std::int64_t& held, bool parallel);
    const KernelData& kernel_;
    const TargetOptions& options_;
    std::map<Name, Storage> storage_;
};

void Placement::one(const Array& a, std::int64_t& held, bool parallel) {
    const auto bytes = constant_bytes(a);
    const bool wants_private = a.space == AddressSpace::Private;
    const bool asked_out = a.space == AddressSpace::Heap || a.space == AddressSpace::Global;
    if (wants_private && !bytes) throw too_large(a, "a size that depends on parameters", options_.stack_limit);
    const bool fits = bytes && held + *bytes <= options_.stack_limit;
    if (wants_private && !fits) throw too_large(a, fmt::format("{} bytes", held + *bytes), options_.stack_limit);
    Storage s;
    if (bytes && !a.layout.strides.empty() && strides_collide(a))
        throw user_error("layout",
                         fmt::format("the strides of '{}' are negative or put two elements in one place", a.name.str()), a.loc)
            .hint("leave them out: the array is then row-major");
    if (a.shape.empty() || (fits && !asked_out)) {
        s.bytes = *bytes;
        held += *bytes;
    } else {
        s.kind = Storage::Kind::Allocated;
        s.for_each_thread = parallel;
    }
    storage_.emplace(a.name, s);
}

void Placement::node(const Node* n, std::int64_t held, bool parallel) {
    if (n->kind == Node::Kind::Loop && n->tag.kind == LoopTag::Kind::Parallel) parallel = options_.openmp;
    for (Name t : n->temporaries)
        if (const Array* a = kernel_.find_array(t); a && a->role == Role::Temp) one(*a, held, parallel);
    for (const NodePtr& child : n->children) node(child.get(), held, parallel);
}

}  // namespace

std::map<Name, Storage> place_temporaries(const KernelData& kernel, const TargetOptions& options) {
    Placement placement(kernel, options);
    placement.node(kernel.root.get(), 0, false);
    return placement.take();
}

}  // namespace heddle
