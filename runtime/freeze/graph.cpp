// Sequences of launches of one CUDA device as CUDA graphs: built once node by node, patched where arguments or grids change.
#include <fmt/format.h>

#include <mutex>

#include "runtime/device/cuda.h"
#include "runtime/freeze/sequence.h"

namespace heddle::runtime {
namespace {

/// What a node was given last.
struct NodeState {
    void* handle = nullptr;
    CudaFunction* function = nullptr;
    std::vector<Value> values;
    std::array<std::int64_t, 3> blocks{};
    std::size_t shared_bytes = 0;
    bool enabled = true;
};

/// A launch of a step of a frame, and where its values lie.
struct NodeLaunch {
    NodeLaunch(const LaunchStep& step, const Frame& frame) {
        const std::size_t n = step.arguments.size();
        values.resize(n);
        for (std::size_t k = 0; k < n; ++k) {
            const StepArgument& a = step.arguments[k];
            values[k] = frame.argument(a);
            arguments.push_back({&values[k], a.memory ? sizeof(void*) : a.bytes, a.memory ? 1 : 0});
        }
        launch = {step.function->name.c_str(),
                  {},
                  {step.lanes[0], step.lanes[1], step.lanes[2]},
                  0,
                  static_cast<std::int32_t>(n),
                  arguments.data()};
        for (std::size_t k = 0; k < 3; ++k) launch.blocks[k] = frame.integer(step.blocks[k]);
        launch.shared_bytes = static_cast<std::size_t>(frame.integer(step.shared_bytes));
    }
    NodeLaunch(const NodeLaunch&) = delete;
    bool changes(const NodeState& from) const {
        if (launch.shared_bytes != from.shared_bytes || !std::equal(from.blocks.begin(), from.blocks.end(), launch.blocks))
            return true;
        for (std::size_t k = 0; k < values.size(); ++k)
            if (values[k].bits != from.values[k].bits) return true;
        return false;
    }
    void keep(NodeState& to) const {
        to.values = values;
        std::copy(launch.blocks, launch.blocks + 3, to.blocks.begin());
        to.shared_bytes = launch.shared_bytes;
    }
    std::vector<Value> values;
    std::vector<heddle_argument> arguments;
    heddle_launch launch{};
};

/// One executable graph. Not for two threads at a time.
class CudaGraph {
public:
    CudaGraph(const Sequence& sequence, const Frame& frame);
    ~CudaGraph();
    CudaGraph(const CudaGraph&) = delete;
    void patch(const Sequence& sequence, const Frame& frame);
    void launch(void* stream) { context_->check(context_->api->graph_launch(executable_, stream), "cuGraphLaunch"); }
    const CudaContext& context() const { return *context_; }

private:
    CuKernelNode parameters(const NodeLaunch& at, const NodeState& node, std::vector<void*>& pointers) const;
    void enable(NodeState& node, bool on);
    void add(const LaunchStep& step, const Frame& frame);
    std::shared_ptr<CudaContext> context_;
    void *graph_ = nullptr, *executable_ = nullptr;
    std::vector<NodeState> nodes_;
};

CudaFunction& function_of(const LaunchStep& step) { return static_cast<CudaFunction&>(*step.function->function); }

CudaGraph::CudaGraph(const Sequence& s, const Frame& frame)
    : context_(function_of(std::get<LaunchStep>(s.steps.front())).context()) {
    const CudaApi& api = *context_->api;
    context_->check(api.graph_create(&graph_, 0), "cuGraphCreate");
    try {
        for (const Step& step : s.steps) add(std::get<LaunchStep>(step), frame);
        context_->check(api.graph_instantiate(&executable_, graph_, 0), "cuGraphInstantiateWithFlags");
        for (NodeState& node : nodes_)
            if (!node.enabled) node.enabled = true, enable(node, false);
    } catch (...) {
        if (executable_ != nullptr) api.graph_exec_destroy(executable_);
        api.graph_destroy(graph_);
        throw;
    }
}

CudaGraph::~CudaGraph() {
    const CudaCurrent current(*context_);
    context_->api->graph_exec_destroy(executable_);
    context_->api->graph_destroy(graph_);
}

CuKernelNode CudaGraph::parameters(const NodeLaunch& at, const NodeState& node, std::vector<void*>& pointers) const {
    CuKernelNode out;
    out.function = node.function->handle();
    for (int k = 0; k < 3; ++k) {
        out.grid[k] = static_cast<unsigned>(std::max<std::int64_t>(at.launch.blocks[k], 1));
        out.block[k] = static_cast<unsigned>(at.launch.lanes[k]);
    }
    out.shared_bytes = static_cast<unsigned>(at.launch.shared_bytes);
    pointers = cuda_arguments(at.launch);
    out.arguments = pointers.data();
    return out;
}

/// A launch without blocks becomes a node that is switched off. Each node comes after the one before: they may share memory.
void CudaGraph::add(const LaunchStep& step, const Frame& frame) {
    const NodeLaunch at(step, frame);
    NodeState node;
    node.function = &function_of(step);
    node.enabled = node.function->prepare(at.launch);
    at.keep(node);
    std::vector<void*> pointers;
    const CuKernelNode p = parameters(at, node, pointers);
    void* const before = nodes_.empty() ? nullptr : nodes_.back().handle;
    const int status = context_->api->graph_add_kernel(&node.handle, graph_, &before, nodes_.empty() ? 0 : 1, &p);
    if (status != 0) launch_failed(at.launch, "cuGraphAddKernelNode says " + cuda_error(*context_->api, status));
    nodes_.push_back(std::move(node));
}

void CudaGraph::enable(NodeState& node, bool on) {
    if (node.enabled == on) return;
    context_->check(context_->api->graph_set_enabled(executable_, node.handle, on ? 1 : 0), "cuGraphNodeSetEnabled");
    node.enabled = on;
}

void CudaGraph::patch(const Sequence& s, const Frame& frame) {
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        const NodeLaunch at(std::get<LaunchStep>(s.steps[k]), frame);
        NodeState& node = nodes_[k];
        if (!at.changes(node)) continue;
        const bool runs = node.function->prepare(at.launch);
        if (runs) {
            std::vector<void*> pointers;
            const CuKernelNode p = parameters(at, node, pointers);
            const int status = context_->api->graph_set_kernel(executable_, node.handle, &p);
            if (status != 0)
                launch_failed(at.launch, "cuGraphExecKernelNodeSetParams says " + cuda_error(*context_->api, status));
        }
        enable(node, runs);
        at.keep(node);
    }
}

class Graphs : public CudaGraphs {
public:
    explicit Graphs(const Device& device) : device_(device) {}
    void launch(const Sequence& s, const Frame& frame) override {
        const CudaCurrent current(*function_of(std::get<LaunchStep>(s.steps.front())).context());
        auto graph = take();
        if (graph == nullptr)
            graph = std::make_unique<CudaGraph>(s, frame);
        else
            graph->patch(s, frame);  // one that fails is dropped: its nodes are no longer known
        graph->launch(device_.queue().raw());
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(graph));
    }

private:
    std::unique_ptr<CudaGraph> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return nullptr;
        auto out = std::move(free_.back());
        free_.pop_back();
        return out;
    }
    Device device_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<CudaGraph>> free_;
};

}  // namespace

std::shared_ptr<CudaGraphs> cuda_graphs(const Sequence& s) {
    if (s.steps.empty()) return nullptr;
    const Device* device = nullptr;
    for (const Step& step : s.steps) {
        const auto* launch = std::get_if<LaunchStep>(&step);
        if (launch == nullptr || launch->function->program.device().kind() != DeviceKind::Cuda) return nullptr;
        if (device != nullptr && !(*device == launch->function->program.device())) return nullptr;
        device = &launch->function->program.device();
    }
    return std::make_shared<Graphs>(*device);
}

}  // namespace heddle::runtime
