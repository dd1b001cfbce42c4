// Preparing a run: memory, code, loop bounds.
#include <fmt/format.h>

#include <new>

#include "ir/error.h"
#include "ir/interpret/run.h"
#include "ir/tree.h"

namespace heddle::interp {

Run::Run(const KernelData& kernel, Env sizes, Stores arguments, const ExternTable& externs)
    : kernel_(kernel), sizes_(std::move(sizes)), externs_(externs), scopes_(scope_loops(kernel)) {
    make_views(std::move(arguments));
    coder_ = std::make_unique<Coder>(kernel_, machine_, externs_);
    for (const auto& [name, value] : sizes_) put(machine_.reg(coder_->slot(name)), value);
    make_statements();
    root_ = plan(*kernel_.root, 0);
}

std::vector<std::int64_t> Run::extents(const Array& array) const {
    std::vector<std::int64_t> out;
    for (const Expr& e : array.shape) {
        const auto v = index_value(e, sizes_);
        if (!v)
            throw Error(ErrorKind::Runtime, "overflow",
                        fmt::format("the shape of {} has no value for these sizes", array.name.str()), array.loc);
        out.push_back(std::max<std::int64_t>(*v, 0));
    }
    return out;
}

std::shared_ptr<Store> Run::temporary(const Array& array, const std::vector<std::int64_t>& shape) const {
    auto store = std::make_shared<Store>();
    try {
        Buffer memory = Buffer::zeros(array.type, shape);
        store->track(static_cast<std::size_t>(memory.count()));
        store->own = std::move(memory.bytes);
    } catch (const std::exception&) {
        throw Error(
            ErrorKind::Runtime, "memory",
            fmt::format("no memory for {}, which is {}[{}]", array.name.str(), name_of(array.type), fmt::join(shape, ", ")),
            array.loc);
    }
    store->data = store->own.data();
    return store;
}

void Run::make_views(Stores arguments) {
    for (const Array& array : kernel_.arrays) {
        View view{array.name, array.type, extents(array), nullptr};
        if (array.role == Role::Table) {
            view.store = std::make_shared<Store>();
            view.store->own = array.table->bytes;
            view.store->data = view.store->own.data();
        } else if (is_passed(array)) {
            view.store = arguments.at(array.name);
        } else if (array.view_of.empty()) {
            view.store = temporary(array, view.shape);
        }
        machine_.views.push_back(std::move(view));
    }
    for (std::size_t k = 0; k < kernel_.arrays.size(); ++k) {
        const Array* base = &kernel_.arrays[k];
        for (std::size_t hops = 0; !base->view_of.empty() && hops < kernel_.arrays.size(); ++hops)
            base = kernel_.find_array(base->view_of);
        machine_.views[k].store = machine_.views[static_cast<std::size_t>(base - kernel_.arrays.data())].store;
    }
}

SymbolTable Run::symbol_table() {
    SymbolTable out;
    out.slot = [this](Name name) {
        const bool data = !coder_->is_slot(name) && kernel_.find_array(name) != nullptr;
        if (!data) return coder_->slot(name);
        const auto [it, is_new] = data_regs_.emplace(name, 0);
        if (is_new) it->second = coder_->fresh();
        return it->second;
    };
    out.data_view = [this](Name name) -> std::optional<std::uint32_t> {
        const Array* array = sizes_.count(name) ? nullptr : kernel_.find_array(name);
        if (array == nullptr) return std::nullopt;
        return static_cast<std::uint32_t>(array - kernel_.arrays.data());
    };
    out.depth = [this](Name name) {
        const auto it = scopes_.find(name);
        return it == scopes_.end() ? std::size_t{0} : it->second.size();
    };
    return out;
}

/// Registers for loops first, so that the name of a loop is never taken for a scalar.
void Run::make_statements() {
    const std::vector<Path> paths = paths_of(kernel_);
    const SymbolTable symbols = symbol_table();
    for (const Path& path : paths) {
        loops_.push_back(path.loop_names());
        for (const Name loop : loops_.back()) coder_->slot(loop);
    }
    for (std::size_t k = 0; k < paths.size(); ++k) {
        const Statement& s = *kernel_.statements[k];
        std::vector<std::pair<Name, std::uint32_t>> slots;
        for (const Name loop : loops_[k]) slots.emplace_back(loop, coder_->slot(loop));
        statements_.push_back(s.call ? coder_->predicates(s, slots) : coder_->statement(s, slots));
        if (s.call) calls_.emplace(k, call_site(s));
    }
    for (std::size_t k = 0; k < paths.size(); ++k) {
        const Statement& s = *kernel_.statements[k];
        std::vector<Unit> units = units_of(s, k, loops_[k], symbols);
        for (std::size_t p = 0; p < units.size(); ++p) find_boxes(units[p], s.domain.pieces[p], loops_[k], sizes_);
        const auto first = static_cast<std::uint32_t>(units_.size());
        units_.insert(units_.end(), std::make_move_iterator(units.begin()), std::make_move_iterator(units.end()));
        pieces_.emplace_back(first, static_cast<std::uint32_t>(units_.size()));
    }
}

Run::CallSite Run::call_site(const Statement& s) {
    CallSite site;
    const KernelData& callee = *s.call->callee;
    for (const auto& [name, value] : s.call->bindings) {
        CallSite::Binding b;
        b.callee_name = name;
        b.size = callee.is_parameter(name);
        const Array* array = callee.find_array(name);
        if (!b.size && array == nullptr)
            throw Error(ErrorKind::Internal, "internal", "call binds the unknown name '" + name.str() + "'", s.loc);
        b.by_value = !b.size && array->by_value();
        if (b.size || b.by_value) {
            b.begin = coder_->position();
            b.value = coder_->expression(value, b.size ? DType::I64 : array->type);
            b.end = coder_->position();
            b.memory = std::make_shared<Store>();
            b.memory->own.resize(sizeof(Value));
            b.memory->data = b.memory->own.data();
        } else {
            b.caller_array = value.name();
            b.memory = machine_.views[coder_->view(b.caller_array)].store;
        }
        site.bindings.push_back(std::move(b));
    }
    return site;
}

std::unique_ptr<Run::Step> Run::plan(const Node& node, std::size_t depth) {
    auto step = std::make_unique<Step>();
    step->kind = node.kind;
    step->statement = node.statement;
    for (const Name t : node.temporaries) step->temporaries.push_back(machine_.views[coder_->view(t)].store);
    const bool loop = node.kind == Node::Kind::Loop;
    if (loop) {
        step->loop = node.loop;
        step->depth = depth + 1;
        step->reg = coder_->slot(node.loop);
        step->descending = node.descending;
    }
    for (const NodePtr& child : node.children) {
        step->children.push_back(plan(*child, depth + (loop ? 1 : 0)));
        const Step& last = *step->children.back();
        step->units.insert(step->units.end(), last.units.begin(), last.units.end());
    }
    if (node.kind == Node::Kind::Leaf)
        for (std::uint32_t u = pieces_[node.statement].first; u < pieces_[node.statement].second; ++u) step->units.push_back(u);
    step->ranges.resize(loop ? step->units.size() : 0);
    return step;
}

}  // namespace heddle::interp
