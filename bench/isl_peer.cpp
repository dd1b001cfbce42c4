// What isl alone needs for the same work: its AST builder and its flow analysis. Prints one number of seconds for each work
// asked.
//   isl_peer WORK [COUNT]     WORK: tiled, two-level, two-level-unrolled, nests, chain-flow, rows-flow
#include <fmt/format.h>
#include <isl/cpp.h>
#include <isl/options.h>

#include <chrono>
#include <cstring>

namespace {

double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

isl::schedule scheduled(const isl::union_set& domain, const isl::multi_union_pw_aff& band) {
    return isl::manage(isl_schedule_insert_partial_schedule(isl::schedule::from_domain(domain).release(), band.copy()));
}

isl::schedule matmul(isl::ctx ctx) {
    const isl::union_set domain(ctx, "[n] -> { S[i, j, k] : 0 <= i, j, k < n }");
    const isl::multi_union_pw_aff band(ctx, "[n] -> [{ S[i,j,k] -> [i] }, { S[i,j,k] -> [j] }, { S[i,j,k] -> [k] }]");
    return scheduled(domain, band);
}

isl::multi_val sizes(isl::ctx ctx, const isl::schedule_node_band& band, std::initializer_list<int> values) {
    isl::val_list list(ctx, 3);
    for (int v : values) list = list.add(isl::val(ctx, v));
    return isl::multi_val(isl::manage(isl_schedule_node_band_get_space(band.get())), list);
}

/// One level of tiles; the tiles that lie inside n x n x n are isolated.
isl::schedule tiled(isl::ctx ctx) {
    isl::schedule_node node = matmul(ctx).get_root().child(0);
    auto band = node.as<isl::schedule_node_band>();
    band = band.tile(sizes(ctx, band, {64, 64, 64})).as<isl::schedule_node_band>();
    const isl::union_set isolate(
        ctx, "[n] -> { isolate[[] -> [a, b, c]] : a, b, c >= 0 and a + 64 <= n and b + 64 <= n and c + 64 <= n }");
    return band.set_ast_build_options(isolate).get_schedule();
}

/// Two levels, full tiles isolated at both; with the innermost level unrolled where asked.
isl::schedule two_levels(isl::ctx ctx, bool unroll) {
    isl::schedule_node node = matmul(ctx).get_root().child(0);
    auto band = node.as<isl::schedule_node_band>();
    band = band.tile(sizes(ctx, band, {128, 128, 128})).as<isl::schedule_node_band>();
    const isl::union_set outer(
        ctx, "[n] -> { isolate[[] -> [a, b, c]] : a, b, c >= 0 and a + 128 <= n and b + 128 <= n and c + 128 <= n }");
    auto inner = band.set_ast_build_options(outer).child(0).as<isl::schedule_node_band>();
    inner = inner.tile(sizes(ctx, inner, {8, 24, 128})).as<isl::schedule_node_band>();
    const isl::union_set isolate(ctx,
                                 "[n] -> { isolate[[a, b, c] -> [d, e, f]] : d, e, f >= 0 and a >= 0 and b >= 0 and c >= 0 and "
                                 "d + 8 <= n and e + 24 <= n and f + 128 <= n and a <= d and b <= e and c <= f }");
    inner = inner.set_ast_build_options(isolate).as<isl::schedule_node_band>();
    if (!unroll) return inner.get_schedule();
    auto point = inner.child(0).as<isl::schedule_node_band>();
    const isl::union_set options(
        ctx,
        "[n] -> { isolate[[a, b, c, d, e, f] -> [g, h, i]] : d, e, f >= 0 and d + 8 <= n and e + 24 <= n and f + 128 <= n; "
        "[isolate[] -> unroll[x]] : x = 0 }");
    return point.set_ast_build_options(options).get_schedule();
}

double ast_of(isl::ctx ctx, const isl::schedule& schedule) {
    const auto start = std::chrono::steady_clock::now();
    const isl::ast_node node = isl::ast_build(ctx).node_from(schedule);
    const std::string text = node.to_C_str();
    return text.empty() ? -1 : since(start);
}

double nests(isl::ctx ctx, int count) {
    const auto start = std::chrono::steady_clock::now();
    std::size_t length = 0;
    for (int k = 0; k < count; ++k) {
        const isl::union_set domain(ctx, fmt::format("[n, m] -> {{ S{}[i, j] : 0 <= i < n and 0 <= j < m }}", k));
        const isl::multi_union_pw_aff band(ctx, fmt::format("[n, m] -> [{{ S{0}[i,j] -> [i] }}, {{ S{0}[i,j] -> [j] }}]", k));
        const isl::schedule schedule = scheduled(domain, band);
        length += isl::ast_build(ctx).node_from(schedule).to_C_str().size();
    }
    return length ? since(start) : -1;
}

/// Value-based flow of `count` statements: a chain of arrays, each in its own nest, or rows of one array in one nest.
double flow(isl::ctx ctx, int count, bool one_array) {
    isl::union_map reads(ctx, "{ }"), writes(ctx, "{ }"), order(ctx, "{ }");
    const std::string domain = "0 <= i < n and 0 <= j < m";
    for (int k = 0; k < count; ++k) {
        const auto element = [&](int r) { return one_array ? fmt::format("A[{}, j, i]", r) : fmt::format("A{}[i, j]", r); };
        const auto map = [&](const std::string& image) {
            return isl::union_map(ctx, fmt::format("[n, m] -> {{ S{}[i, j] -> {} : {} }}", k, image, domain));
        };
        reads = reads.unite(map(element(k)));
        writes = writes.unite(map(element(k + 1)));
        order = order.unite(map(one_array ? fmt::format("[i, j, {}]", k) : fmt::format("[{}, i, j]", k)));
    }
    const auto start = std::chrono::steady_clock::now();
    isl::union_access_info access(reads);
    access = access.set_must_source(writes).set_schedule_map(order);
    const isl::union_flow result = access.compute_flow();
    return result.get_must_dependence().is_empty() ? -1 : since(start);
}

double run(isl::ctx ctx, const char* work, int count) {
    if (!std::strcmp(work, "tiled")) return ast_of(ctx, tiled(ctx));
    if (!std::strcmp(work, "two-level")) return ast_of(ctx, two_levels(ctx, false));
    if (!std::strcmp(work, "two-level-unrolled")) return ast_of(ctx, two_levels(ctx, true));
    if (!std::strcmp(work, "nests")) return nests(ctx, count);
    if (!std::strcmp(work, "chain-flow")) return flow(ctx, count, false);
    if (!std::strcmp(work, "rows-flow")) return flow(ctx, count, true);
    return -1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return fmt::print(stderr, "usage: isl_peer WORK [COUNT]\n"), 2;
    isl_ctx* const raw = isl_ctx_alloc();
    double seconds = -1;
    try {
        seconds = run(isl::ctx(raw), argv[1], argc > 2 ? std::atoi(argv[2]) : 1000);
    } catch (const isl::exception& e) {
        fmt::print(stderr, "{}\n", e.what());
    }
    if (seconds < 0) return 1;
    fmt::print("{:.6f}\n", seconds);
    return 0;
}
