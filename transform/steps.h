// THE list of steps. Fields and documentation of each stand with its struct, in the header of its family; reading, printing,
// JSON, help and the documentation page derive from there (`transform/step.h`).
#pragma once

#include <concepts>
#include <variant>

#include "ir/kernel.h"
#include "transform/fold.h"
#include "transform/fuse.h"
#include "transform/inline.h"
#include "transform/layout.h"
#include "transform/loops.h"
#include "transform/precompute.h"
#include "transform/reduce.h"
#include "transform/specialise.h"
#include "transform/storage.h"
#include "transform/tags.h"

namespace heddle {

template <CompleteStep... S>
using StepList = std::variant<S...>;

/// One change of a kernel: a value. To add one: its struct with its row and body in a family, and its name here.
using Step = StepList<
    // loops.h
    SplitLoop, Tile, JoinLoops, ReorderLoops, ReverseLoop, ShiftLoop, SkewLoop, AffineLoops, CutLoop, PeelLoop, RenameLoop,
    // tags.h
    UnrollLoop, JamLoop, Vectorize, Parallel, MapLoop, Sequential,
    // fuse.h
    FuseLoops, DistributeLoop, DuplicateLoop, Hoist,
    // specialise.h
    Fix, Assume, AssertInjective, AssertNonaliasing, AllowReassociate, Atomic,
    // inline.h
    Inline, MakeRule, Extract,
    // precompute.h
    Precompute, Stage, BufferArray,
    // storage.h
    ExpandTemporary, ContractTemporary, Privatise, PlaceTemporary,
    // fold.h
    FoldTemporary, AliasTemporary,
    // layout.h
    SetLayout, SplitAxis, TransposeArray, RenameArray,
    // reduce.h
    RFactor, TreeReduce, FactorOut>;

/// The kernel after the step, or an Error; the kernel given is a value and stays as it is.
Kernel apply(const Kernel& kernel, const Step& step);
inline Kernel operator|(const Kernel& kernel, const Step& step) { return apply(kernel, step); }

}  // namespace heddle
