// Steps on how arrays lie in memory, and on their axes and names.
#pragma once

#include "transform/row.h"

namespace heddle {

struct SetLayout {
    Name array;
    std::vector<std::int64_t> order;
    std::vector<std::int64_t> pad;
    std::vector<std::int64_t> separate;
    bool interface = false;

    bool operator==(const SetLayout&) const = default;
    static constexpr auto row = make_row(
        About{"layout", "set_layout", "Say how the elements of an array lie in memory; subscripts stay as they are.",
              "layout t order 1, 0 pad 0, 8", "temp t : f64[n, m]", "temp t : f64[n, m] layout(1, 0) pad(0, 8)"},
        needed("array", "", &SetLayout::array, "the array"),
        maybe("order", "order", &SetLayout::order, "axes from the slowest to the fastest"),
        maybe("pad", "pad", &SetLayout::pad, "extra entries along each axis"),
        maybe("separate", "separate", &SetLayout::separate, "an axis of constant extent that becomes one array for each entry"),
        maybe("interface", "interface", &SetLayout::interface,
              "also for an argument: callers must then pass its elements in this order"));
};
struct SplitAxis {
    Name array;
    std::int64_t axis = 0;
    std::int64_t by = 0;

    bool operator==(const SplitAxis&) const = default;
    static constexpr auto row =
        make_row(About{"split_axis", "split_axis", "Make two axes of one axis of a temporary: blocks, and entries of a block.",
                       "split_axis t 0 by 8",
                       "temp t : f64[n]\n"
                       "for [i] : 0 <= i < n {\n"
                       "  S0: t[i] = x[i]\n"
                       "}",
                       "temp t : f64[(n + 7) // 8, 8]\n"
                       "for [i] : 0 <= i < n {\n"
                       "  S0: t[i // 8, i % 8] = x[i]\n"
                       "}"},
                 needed("array", "", &SplitAxis::array, "the temporary"),
                 needed("axis", "", &SplitAxis::axis, "the axis, counted from 0"),
                 needed("by", "by", &SplitAxis::by, "entries of a block, at least 2"));
};
struct TransposeArray {
    Name array;
    std::vector<std::int64_t> axes;

    bool operator==(const TransposeArray&) const = default;
    static constexpr auto row =
        make_row(About{"transpose", "transpose_array", "Put the axes of a temporary in another order.", "transpose t 1, 0",
                       "temp t : f64[n, m]\n"
                       "for [i, j] : 0 <= i < n and 0 <= j < m {\n"
                       "  S0: t[i, j] = A[i, j]\n"
                       "}",
                       "temp t : f64[m, n]\n"
                       "for [i, j] : 0 <= i < n and 0 <= j < m {\n"
                       "  S0: t[j, i] = A[i, j]\n"
                       "}"},
                 needed("array", "", &TransposeArray::array, "the temporary"),
                 needed("axes", "", &TransposeArray::axes, "old axes in their new order"));
};
struct RenameArray {
    Name array;
    Name to;
    bool interface = false;

    bool operator==(const RenameArray&) const = default;
    static constexpr auto row = make_row(
        About{"rename_array", "rename_array", "Give an array another name.", "rename_array t to sums",
              "temp t : f64[n]\n"
              "for [i] : 0 <= i < n {\n"
              "  S0: t[i] = x[i]\n"
              "}",
              "temp sums : f64[n]\n"
              "for [i] : 0 <= i < n {\n"
              "  S0: sums[i] = x[i]\n"
              "}"},
        needed("array", "", &RenameArray::array, "the array"), needed("to", "to", &RenameArray::to, "the new name"),
        maybe("interface", "interface", &RenameArray::interface, "also for an argument: callers must then use the new name"));
};

Kernel run_step(const Kernel& kernel, const SetLayout& step);
Kernel run_step(const Kernel& kernel, const SplitAxis& step);
Kernel run_step(const Kernel& kernel, const TransposeArray& step);
Kernel run_step(const Kernel& kernel, const RenameArray& step);

inline constexpr StepCall<SetLayout> set_layout;
inline constexpr StepCall<SplitAxis> split_axis;
inline constexpr StepCall<TransposeArray> transpose_array;
inline constexpr StepCall<RenameArray> rename_array;

}  // namespace heddle
