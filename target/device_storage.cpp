#include "target/device_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "ir/access.h"
#include "ir/error.h"
#include "ir/tree.h"
#include "target/emit.h"
#include "target/place_storage.h"

namespace heddle {
namespace {

using Kind = LoopTag::Kind;

/// Bytes of one lane's own arrays that are still reasonable.
constexpr std::int64_t private_limit = 16 * 1024;

/// A temporary, where it is declared.
struct Home {
    const Array* array = nullptr;
    enum class Level : std::uint8_t { Host, Block, Lane } level = Level::Host;
    std::set<std::size_t> users;
};

bool has_blocks_inside(const Node& n) {
    return std::any_of(n.children.begin(), n.children.end(), [](const NodePtr& c) {
        return (c->kind == Node::Kind::Loop && c->tag.kind == Kind::Block) || has_blocks_inside(*c);
    });
}

class Placer {
public:
    Placer(const KernelData& kernel, std::vector<Launch>& launches, const TargetOptions& options)
        : kernel_(kernel), launches_(launches), options_(options) {
        find_homes(*kernel.root, false);
        const auto accesses = accesses_of(kernel);
        for (std::size_t s = 0; s < accesses.size(); ++s)
            for (const Access& a : accesses[s])
                if (const auto it = homes_.find(storage_of(kernel, a.array)); it != homes_.end()) {
                    it->second.users.insert(s);
                    accesses_[it->first].push_back({s, a});
                }
    }

    std::map<Name, Storage> run() {
        for (Launch& launch : launches_) find_private(launch);
        for (auto& [name, home] : homes_) storage_.emplace(name, place(name, home));
        for (Launch& launch : launches_) settle(launch);
        return std::move(storage_);
    }

private:
    void find_homes(const Node& n, bool in_lane) {
        in_lane |= n.kind == Node::Kind::Loop && n.tag.kind == Kind::Lane;
        for (Name t : n.temporaries) {
            const Array* a = kernel_.find_array(t);
            if (!a || a->role != Role::Temp || !a->view_of.empty()) continue;
            Home home;
            home.array = a;
            home.level = in_lane ? Home::Level::Lane : has_blocks_inside(n) ? Home::Level::Host : Home::Level::Block;
            homes_.emplace(t, home);
        }
        for (const NodePtr& child : n.children) find_homes(*child, in_lane);
    }

    bool is_block_level(Name array) const {
        const auto it = homes_.find(storage_of(kernel_, array));
        return it != homes_.end() && it->second.level == Home::Level::Block;
    }

    /// Does the statement only write copies of the lanes?
    bool all_own(const Statement& s) const {
        return !s.places.empty() && std::all_of(s.places.begin(), s.places.end(), [&](const Place& p) {
            const Name memory = storage_of(kernel_, p.array);
            const auto it = homes_.find(memory);
            return own_.count(memory) != 0 || (it != homes_.end() && it->second.level == Home::Level::Lane);
        });
    }

    /// Statements with lanes where a loop over lanes says nothing: none where all lanes do it, else the first.
    std::vector<Placed> with_lanes(const Launch& launch) const {
        std::vector<Placed> out = launch.statements;
        for (Placed& p : out) {
            const bool all = all_own(*kernel_.statements[p.statement]);
            for (auto& lane : p.lanes)
                if (!lane && !all) lane = Affine(0);
        }
        return out;
    }

    /// The temporaries of a block of which no lane uses what another wrote: at first all, then without those that cross, as
    /// that changes who runs what.
    void find_private(Launch& launch) {
        std::set<std::size_t> here;
        for (const Placed& p : launch.statements) here.insert(p.statement);
        std::set<Name> candidates;
        for (const auto& [name, home] : homes_) {
            const bool ours = !home.users.empty() && here.count(*home.users.begin()) != 0;
            const bool free = home.array->space == AddressSpace::Auto || home.array->space == AddressSpace::Private;
            if (home.level == Home::Level::Block && ours && free) candidates.insert(name);
        }
        own_.insert(candidates.begin(), candidates.end());
        LaneQuestions questions(kernel_);
        for (bool changed = !candidates.empty(); changed;) {
            changed = false;
            const auto crossings = questions.crossings(with_lanes(launch), fixed_loops(launch),
                                                       [&](Name a) { return candidates.count(storage_of(kernel_, a)) != 0; });
            for (const Crossing& c : crossings) {
                const Name memory = storage_of(kernel_, c.array);
                if (crosses(c, launch) && candidates.erase(memory) != 0)
                    own_.erase(memory), changed = true, reasons_.emplace(memory, c);
            }
        }
    }
    static std::size_t fixed_loops(const Launch& launch) { return launch.host_loops.size() + launch.blocks.size(); }

    /// A write that every lane does for itself never crosses.
    bool crosses(const Crossing& c, const Launch& launch) const {
        for (const Placed& p : with_lanes(launch)) {
            const bool everywhere =
                std::all_of(p.lanes.begin(), p.lanes.end(), [](const auto& lane) { return !lane || lane->is_constant(); }) &&
                std::any_of(p.lanes.begin(), p.lanes.end(), [](const auto& lane) { return !lane; });
            const bool source_writes = c.kind != DependenceKind::Anti;
            if (p.statement == (source_writes ? c.source : c.sink) && everywhere) return false;
        }
        return true;
    }

    Error wrong_space(const Array& a, const std::string& what) const {
        return user_error("storage", fmt::format("'{}' is to be {} but {}", a.name.str(), name_of(a.space), what), a.loc);
    }

    Storage allocated(const Home& home) const {
        const Array& a = *home.array;
        Storage s;
        s.kind = Storage::Kind::Allocated;
        if (a.space == AddressSpace::Private || a.space == AddressSpace::Shared)
            throw wrong_space(a, "it is declared around the launches that use it")
                .hint("declare it in the loop over blocks, or in its lanes");
        s.reason = a.space == AddressSpace::Auto ? "launches share it" : "as asked";
        return s;
    }

    Storage place(Name name, const Home& home) {
        const Array& a = *home.array;
        if (home.level == Home::Level::Host) return allocated(home);
        const bool own = home.level == Home::Level::Lane || own_.count(name) != 0;
        if (a.space == AddressSpace::Global || a.space == AddressSpace::Heap)
            throw wrong_space(a, "each block or lane has its own")
                .hint(fmt::format("expand {} over the loops around it first", name.str()));
        if (a.space == AddressSpace::Private && !own) {
            const Crossing& c = reasons_.at(name);
            throw wrong_space(a,
                              fmt::format("lanes share it: '{}' and '{}' meet at it on different lanes",
                                          kernel_.statements[c.source]->label.str(), kernel_.statements[c.sink]->label.str()))
                .hint(fmt::format("place {} in shared", name.str()));
        }
        if (a.space == AddressSpace::Shared && home.level == Home::Level::Lane)
            throw wrong_space(a, "each lane has its own").hint(fmt::format("expand {} over the lanes first", name.str()));
        return own && a.space != AddressSpace::Shared ? private_storage(name, home) : shared_storage(home);
    }

    Storage private_storage(Name name, const Home& home) {
        const Array& a = *home.array;
        Storage s;
        s.by_lane = home.level == Home::Level::Block ? axes_by_lane(name, a) : std::vector<bool>(a.shape.size());
        Array kept = a;
        for (std::size_t k = a.shape.size(); k-- > 0;)
            if (s.by_lane[k]) kept.shape.erase(kept.shape.begin() + static_cast<std::ptrdiff_t>(k));
        const auto bytes = constant_bytes(kept);
        if (!bytes || *bytes > private_limit)
            throw user_error(
                "storage",
                fmt::format("'{}' is of one lane, but {}", name.str(),
                            bytes ? fmt::format("takes {} bytes of the {} that a lane may have", *bytes, private_limit)
                                  : "its size depends on parameters"),
                a.loc)
                .hint("expand it over the loops around it, and place it in global; or declare it outside");
        s.bytes = *bytes;
        s.reason = a.space == AddressSpace::Private  ? "as asked"
                   : home.level == Home::Level::Lane ? "it is declared for each lane"
                                                     : "no lane uses what another wrote";
        return s;
    }

    /// Axes along which every access is that of the lane's own number, give or take a constant.
    std::vector<bool> axes_by_lane(Name name, const Array& a) const {
        std::vector<bool> out(a.shape.size());
        if (!a.layout.is_default()) return out;
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = axis_by_lane(name, k);
        return out;
    }
    bool axis_by_lane(Name name, std::size_t k) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            std::optional<Affine> offset;
            bool same = true;
            for (const auto& [statement, access] : accesses_.at(name)) {
                const Placed* p = placed(statement);
                const bool known = p && p->lanes[axis] && !p->lanes[axis]->is_constant() && access.array == name &&
                                   k < access.affine.size() && access.affine[k];
                same = same && known;
                if (!same) break;
                const Affine now = *access.affine[k] - *p->lanes[axis];
                same = now.is_constant() && (!offset || *offset == now);
                offset = now;
            }
            if (same && offset) return true;
        }
        return false;
    }
    const Placed* placed(std::size_t statement) const {
        for (const Launch& launch : launches_)
            for (const Placed& p : launch.statements)
                if (p.statement == statement) return &p;
        return nullptr;
    }

    Storage shared_storage(const Home& home) const {
        const Array& a = *home.array;
        const auto bytes = constant_bytes(a);
        if (!bytes)
            throw user_error(
                "storage",
                fmt::format("'{}' is shared by the lanes of a block, but its size depends on parameters", a.name.str()), a.loc)
                .hint(fmt::format("tile the loops it extends over, or fix the parameters; expand {} over the blocks to have it "
                                  "in global memory",
                                  a.name.str()));
        Storage s;
        s.kind = Storage::Kind::Shared;
        s.bytes = *bytes;
        const auto why = reasons_.find(a.name);
        s.reason = why == reasons_.end() ? "as asked"
                                         : fmt::format("'{}' and '{}' use it on different lanes",
                                                       kernel_.statements[why->second.source]->label.str(),
                                                       kernel_.statements[why->second.sink]->label.str());
        return s;
    }

    /// Who runs what, now that storage is known; shared memory has to fit.
    void settle(Launch& launch) {
        launch.statements = with_lanes(launch);
        std::set<std::size_t> here;
        for (const Placed& p : launch.statements) here.insert(p.statement);
        std::vector<std::pair<std::int64_t, Name>> sizes;
        std::int64_t total = 0;
        for (const auto& [name, storage] : storage_) {
            const auto& users = homes_.at(name).users;
            if (storage.kind != Storage::Kind::Shared || users.empty() || here.count(*users.begin()) == 0) continue;
            launch.shared.push_back(name);
            sizes.emplace_back(storage.bytes, name);
            total += storage.bytes;
        }
        if (total <= options_.shared_limit) return;
        std::sort(sizes.rbegin(), sizes.rend());
        std::string largest;
        for (std::size_t k = 0; k < sizes.size() && k < 3; ++k)
            largest += fmt::format("{}'{}' takes {}", k ? ", " : "", sizes[k].second.str(), sizes[k].first);
        throw user_error(
            "storage",
            fmt::format("a block's shared temporaries take {} bytes of {}: {}", total, options_.shared_limit, largest),
            kernel_.find_array(sizes[0].second)->loc)
            .hint("smaller tiles, or a device with more shared memory: raise the limit");
    }

    const KernelData& kernel_;
    std::vector<Launch>& launches_;
    const TargetOptions& options_;
    std::map<Name, Home> homes_;
    std::map<Name, std::vector<std::pair<std::size_t, Access>>> accesses_;
    std::set<Name> own_;
    std::map<Name, Crossing> reasons_;
    std::map<Name, Storage> storage_;
};

}  // namespace

std::map<Name, Storage> place_on_device(const KernelData& kernel, std::vector<Launch>& launches, const TargetOptions& options) {
    return Placer(kernel, launches, options).run();
}

namespace {

/// The node whose iterations are those of the launch: the innermost loop over blocks, or what the launch runs as a whole.
const Node* launch_node(const KernelData& kernel, const Launch& launch) {
    if (!launch.blocks.empty()) return launch.blocks.back().loop->loop;
    const Path path = paths_of(kernel)[launch.statements[0].statement];
    return *std::find_if(path.nodes.begin(), path.nodes.end(), [](const Node* n) { return !has_blocks_inside(*n); });
}

}  // namespace

std::shared_ptr<const KernelData> hoist_shared(const std::shared_ptr<const KernelData>& kernel,
                                               const std::vector<Launch>& launches) {
    std::map<const Node*, std::vector<Name>> homes;
    std::set<Name> moved;
    for (const Launch& launch : launches) {
        if (launch.shared.empty()) continue;
        homes[launch_node(*kernel, launch)] = launch.shared;
        moved.insert(launch.shared.begin(), launch.shared.end());
    }
    if (moved.empty()) return kernel;
    auto out = std::make_shared<KernelData>(*kernel);
    const std::function<NodePtr(const NodePtr&)> visit = [&](const NodePtr& n) -> NodePtr {
        auto changed = std::make_shared<Node>(*n);
        std::erase_if(changed->temporaries, [&](Name t) { return moved.count(t) != 0; });
        if (const auto it = homes.find(n.get()); it != homes.end())
            changed->temporaries.insert(changed->temporaries.begin(), it->second.begin(), it->second.end());
        for (NodePtr& child : changed->children) child = visit(child);
        return changed;
    };
    out->root = visit(kernel->root);
    return out;
}

}  // namespace heddle
