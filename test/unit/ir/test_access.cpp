#include <catch2/catch.hpp>

#include "ir/access.h"
#include "ir/access/map.h"
#include "ir/error.h"
#include "ir/poly.h"
#include "kernels.h"

using namespace heddle;
using namespace heddle::test;

namespace {

std::vector<std::string> texts(const std::vector<Access>& accesses) {
    std::vector<std::string> out;
    for (const Access& a : accesses) {
        std::string t = a.reduction ? "update " : a.write ? "write " : "read ";
        t += a.array.str() + "[";
        for (const auto& f : a.affine) t += (f ? f->str() : "?") + ";";
        out.push_back(t + "]" + (a.conditional ? " maybe" : ""));
    }
    return out;
}

Expr select(Expr c, Expr a, Expr b) { return make(Op::Select, index_type, {c, a, b}); }
Expr less_than(Expr a, Expr b) { return make(Op::Lt, DType::Bool, {a, b}); }

}  // namespace

TEST_CASE("reads come first, writes last, equal ones once") {
    Maker m({"n"});
    m.array("a", {v("n")}).array("b", {v("n")}, Role::In).array("c", {v("n")}, Role::In, DType::I32);
    Expr x = read("b", {read("c", {v("i")}, DType::I32)}, DType::F64);
    m.leaf(assign("S", range("i", 0, s("n")), {"a", {v("i") + 1}}, make(Op::Mul, DType::F64, {x, x})));
    CHECK(texts(accesses_of(m.kernel, *m.kernel.statements[0])) ==
          std::vector<std::string>{"read b[?;]", "read c[i;]", "write a[i + 1;]"});
}

TEST_CASE("updates are one access when they commute, two when not") {
    Maker m;
    m.array("a", {num(9)});
    Statement add = assign("S", range("i", 0, 9), {"a", {v("i")}}, float_literal(1), Update::Add);
    Statement arg = add;
    arg.update = Update::ArgMax;
    CHECK(texts(accesses_of(m.kernel, add)) == std::vector<std::string>{"update a[i;]"});
    CHECK(texts(accesses_of(m.kernel, arg)) == std::vector<std::string>{"read a[i;]", "write a[i;]"});
    CHECK_FALSE(order_free(m.kernel, add));
    add.reassociate = true;
    CHECK(order_free(m.kernel, add));
    m.kernel.arrays[0].type = DType::U8;
    add.reassociate = false;
    CHECK(order_free(m.kernel, add));
    CHECK_FALSE(order_free(m.kernel, arg));
}

TEST_CASE("branches happen only under their condition") {
    Maker m;
    m.array("a", {num(9)});
    Expr guarded = select(less_than(num(0), v("i")), read("a", {v("i") - 1}), read("a", {v("i") + 1}));
    auto list = accesses_of(m.kernel, assign("S", range("i", 0, 9), {"a", {v("i")}}, guarded));
    REQUIRE(list.size() == 3);
    CHECK(contains(list[0].when, {{"i", 1}}));
    CHECK_FALSE(contains(list[0].when, {{"i", 0}}));
    CHECK(contains(list[1].when, {{"i", 0}}));
    CHECK_FALSE(contains(list[1].when, {{"i", 1}}));
    CHECK(list[2].when.is_everything());
    Statement data = assign("T", range("i", 0, 9), {"a", {v("i")}}, float_literal(0));
    data.predicates = {make(Op::Lt, DType::Bool, {read("a", {v("i")}, DType::F64), float_literal(0)})};
    CHECK(texts(accesses_of(m.kernel, data)) == std::vector<std::string>{"read a[i;]", "write a[i;] maybe"});
}

TEST_CASE("lets in bounds are read, kernel calls touch whole arrays") {
    Maker m;
    m.array("a", {num(9)}).array("lo", {}, Role::Temp, DType::I64);
    m.kernel.arrays[1].is_let = true;
    CHECK(texts(accesses_of(m.kernel, assign("S", range("i", s("lo"), 9), {"a", {v("i")}}, v("lo")))) ==
          std::vector<std::string>{"read lo[]", "write a[i;]"});
    Maker inner;
    inner.array("x", {num(9)}, Role::InOut).array("y", {}, Role::In);
    Statement call;
    call.label = "C";
    call.call = KernelCall{std::make_shared<KernelData>(inner.kernel), {{"x", read("a", {})}, {"y", float_literal(1)}}};
    auto list = accesses_of(m.kernel, call);
    REQUIRE(list.size() == 2);
    CHECK((list[0].whole && !list[0].write && list[1].whole && list[1].write));
}

TEST_CASE("rules expand, also nested deeply; a rule of itself is refused") {
    Maker m;
    m.array("a", {num(9)});
    m.kernel.rules.push_back({"r0", {"x"}, read("a", {v("x")}), {}});
    for (int k = 1; k < 1000; ++k) {
        Expr before = make(Op::Rule, DType::F64, {v("x") + 1}, "r" + std::to_string(k - 1));
        m.kernel.rules.push_back({"r" + std::to_string(k), {"x"}, before, {}});
    }
    auto list = accesses_of(m.kernel, assign("S", {}, {"a", {num(0)}}, make(Op::Rule, DType::F64, {v("i")}, "r999")));
    CHECK(texts(list) == std::vector<std::string>{"read a[i + 999;]", "write a[0;]"});
    m.kernel.rules = {{"u", {}, make(Op::Rule, DType::F64, {}, "u"), {}}};
    CHECK_THROWS_AS(expand_rules(m.kernel, make(Op::Rule, DType::F64, {}, "u")), Error);
    CHECK_THROWS_AS(expand_rules(m.kernel, make(Op::Rule, DType::F64, {}, "w")), Error);
}

TEST_CASE("piecewise forms have the values of their expressions") {
    Expr e = make(Op::Min, index_type, {v("i") + 2, make(Op::Max, index_type, {v("j"), num(0)})}) - v("i");
    Expr f = select(make(Op::Or, DType::Bool, {less_than(v("i"), v("j")), less_than(num(3), v("i"))}), e, v("j"));
    auto pieces = pieces_of(f);
    REQUIRE(pieces);
    for (int i = -5; i < 6; ++i)
        for (int j = -5; j < 6; ++j) {
            int want = i < j || 3 < i ? std::min(i + 2, std::max(j, 0)) - i : j, hits = 0;
            for (const Piece& p : *pieces)
                if (contains(Domain{{p.when}}, {{"i", i}, {"j", j}})) {
                    ++hits;
                    CHECK(evaluate(p.value, {{"i", i}, {"j", j}}) == want);
                }
            CHECK(hits == 1);
        }
    CHECK_FALSE(pieces_of(v("i") * v("j")));
    CHECK_FALSE(domain_of(make(Op::Lt, DType::Bool, {read("a", {}, DType::F64), float_literal(0)})));
}

TEST_CASE("access relations") {
    Maker m({"n"});
    m.array("a", {v("n"), v("n")});
    auto list = accesses_of(m.kernel, assign("S", {}, {"a", {v("i") + 1, v("i") * v("j")}}, float_literal(0)));
    isl::map relation = access_map(m.kernel, list[0], {"i", "j"}, {"i"}, "S");
    CHECK(relation.is_equal(isl::map(poly::context(), "{ S[i, j] -> a[i, i + 1, any] }")));
    auto pw = pw_aff_of(make(Op::Max, index_type, {v("i"), v("n")}), {"i"}, "S");
    REQUIRE(pw);
    CHECK(pw->plain_is_equal(isl::pw_aff(poly::context(), "[n] -> { S[i] -> [(i)] : i >= n; S[i] -> [(n)] : i < n }")));
}
