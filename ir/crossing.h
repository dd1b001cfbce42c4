// Dependences that join different lanes of a block: where lanes have to wait for each other.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ir/depend.h"

namespace heddle {

/// Which lane of a block runs an instance: along each axis a form over the statement's loops and the parameters. Nothing: all
/// lanes along it do, each for itself.
using LaneCoordinates = std::array<std::optional<Affine>, 3>;

/// A statement with its lanes.
struct Placed {
    std::size_t statement = 0;
    LaneCoordinates lanes;
    bool atomic = false;  ///< its update is atomic
};

/// Instances of two statements touch one element, one of them writing, the source first, on lanes that may differ.
struct Crossing {
    DependenceKind kind;
    std::size_t source, sink;  ///< statement indices
    Name array;
    const Node* carrier =
        nullptr;  ///< the outermost loop whose iterations differ; null: the same iteration of all common loops
};

/// Answers for one kernel, which must outlive this. Memory-based; instances of scoped temporaries are distinct elements.
class LaneQuestions {
public:
    explicit LaneQuestions(const KernelData& kernel);
    ~LaneQuestions();
    LaneQuestions(const LaneQuestions&) = delete;

    /// All crossings among the statements with their first `fixed` loops equal, in order, each (source, sink, array, carrier)
    /// once. Two atomic updates that commute need no waiting. `counts`: arrays that are asked about.
    std::vector<Crossing> crossings(const std::vector<Placed>& statements, std::size_t fixed,
                                    const std::function<bool(Name)>& counts);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
