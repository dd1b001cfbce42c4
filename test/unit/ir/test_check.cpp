#include <catch2/catch.hpp>

#include "ir/check.h"
#include "ir/error.h"
#include "ir/tree.h"

using namespace heddle;

namespace {

const Affine i = Affine::symbol("i"), n = Affine::symbol("n");

NodePtr loop(const char* name, std::vector<NodePtr> children, LoopTag tag = {}) {
    Node node;
    node.kind = Node::Kind::Loop;
    node.loop = name;
    node.tag = tag;
    return make_loop(node, std::move(children));
}

Array array(const char* name, Role role, std::vector<Expr> shape = {variable("n")}) {
    Array a;
    a.name = name;
    a.role = role;
    a.shape = std::move(shape);
    return a;
}

Expr at(const char* name, const char* index = "i") { return read(name, {variable(index)}, DType::F64); }

std::shared_ptr<Statement> statement(const char* label, const char* place, Expr value, Update update = Update::Assign) {
    auto s = std::make_shared<Statement>();
    s->label = label;
    s->places = {{place, {variable("i")}}};
    s->values = {std::move(value)};
    s->update = update;
    s->domain = Domain{{{at_least(i, 0), less(i, n)}}};
    return s;
}

/// for [i] : 0 <= i < n { copy: y[i] = x[i]  more: y[i] += x[i] }
KernelData sample() {
    KernelData k;
    k.name = "k";
    k.parameters = {{"n", {}}};
    k.argument_order = {"n", "x", "y"};
    k.arrays = {array("x", Role::In), array("y", Role::Out)};
    k.statements = {statement("copy", "y", at("x")), statement("more", "y", at("x"), Update::Add)};
    k.root = make_block({loop("i", {make_leaf(0), make_leaf(1)})});
    return k;
}

template <class Change>
std::string broken(Change change) {
    KernelData k = sample();
    change(k);
    try {
        check(k);
    } catch (const Error& error) {
        CHECK(error.code() == "invalid");
        return error.message();
    }
    return "kept";
}

std::shared_ptr<Statement> edit(KernelData& k, std::size_t s) {
    auto copy = std::make_shared<Statement>(*k.statements[s]);
    k.statements[s] = copy;
    return copy;
}

using K = KernelData;

}  // namespace

TEST_CASE("A sound kernel is accepted", "[check]") {
    CHECK(broken([](K&) {}) == "kept");
}

TEST_CASE("Invariant 1: names", "[check]") {
    CHECK(broken([](K& k) { k.arrays[1].name = "n"; }) == "invariant 1: two things are called n");
    CHECK(broken([](K& k) { k.arrays[1].name = Name(); }) == "invariant 1: something has an empty name");
    CHECK(broken([](K& k) {
              k.root = make_block({loop("i", {loop("i", {make_leaf(0), make_leaf(1)})})});
          }) == "invariant 1: loop i stands inside something else of that name");
    CHECK(broken([](K& k) {
              k.root = make_block({loop("x", {make_leaf(0), make_leaf(1)})});
          }) == "invariant 1: a loop and an array are both called x");
    CHECK(broken([](K& k) { k.argument_order.pop_back(); }) ==
          "invariant 1: the arguments of k are not listed once each in its call interface");
}

TEST_CASE("Invariant 2: statements and leaves", "[check]") {
    CHECK(broken([](K& k) { k.root = make_block({loop("i", {make_leaf(0)})}); }) ==
          "invariant 2: statement more stands nowhere in the loop tree");
    CHECK(broken([](K& k) {
              k.root = make_block({loop("i", {make_leaf(0), make_leaf(0)})});
          }) == "invariant 2: statement copy stands in two places");
    CHECK(broken([](K& k) { k.root = make_block({make_leaf(7)}); }) == "invariant 2: a leaf names no statement");
    CHECK(broken([](K& k) { k.root = nullptr; }) == "invariant 2: the loop tree has no root block");
    CHECK(broken([](K& k) { edit(k, 1)->label = "copy"; }) == "invariant 2: two statements are labelled copy");
    CHECK(broken([](K& k) { edit(k, 1)->label = Name(); }) == "invariant 2: a statement has no label");
}

TEST_CASE("Invariant 3: domains", "[check]") {
    CHECK(broken([](K& k) { edit(k, 0)->domain = Domain{{{at_least(Affine::symbol("j"), 0)}}}; }) ==
          "invariant 3: the domain of copy uses j, which is no loop around it, parameter, or integer let before it");
}

TEST_CASE("Invariant 3: an integer let bounds what comes after it, in its block", "[check]") {
    auto with_let = [](K& k, bool after) {
        Array lo = array("lo", Role::Temp, {});
        lo.type = DType::I64;
        lo.is_let = true;
        k.arrays.push_back(lo);
        auto s = std::make_shared<Statement>();
        s->label = "lo";
        s->places = {{"lo", {}}};
        s->values = {int_literal(3, DType::I64)};
        k.statements.push_back(s);
        edit(k, 0)->domain.pieces[0].push_back(at_least(i, Affine::symbol("lo")));
        NodePtr nest = loop("i", {make_leaf(0), make_leaf(1)});
        k.root = after ? make_block({nest, make_leaf(2)}, {"lo"}) : make_block({make_leaf(2), nest}, {"lo"});
    };
    CHECK(broken([&](K& k) { with_let(k, false); }) == "kept");
    CHECK(broken([&](K& k) { with_let(k, true); }) ==
          "invariant 3: the domain of copy uses lo, which is no loop around it, parameter, or integer let before it");
}

TEST_CASE("Invariant 4: expressions", "[check]") {
    CHECK(broken([](K& k) { edit(k, 0)->values[0] = at("x", "j"); }) ==
          "invariant 4: copy uses j, which is no loop around it, parameter, or integer let before it");
    CHECK(broken([](K& k) { edit(k, 0)->values[0] = at("z"); }) == "invariant 4: copy uses z, which is no array");
    CHECK(broken([](K& k) { edit(k, 0)->values[0] = read("x", {}, DType::F64); }) ==
          "invariant 4: copy gives x 0 subscripts instead of 1");
    CHECK(broken([](K& k) { edit(k, 0)->values[0] = read("x", {variable("i")}); }) ==
          "invariant 4: copy reads x with another type");
    CHECK(broken([](K& k) { edit(k, 0)->values[0] = make(Op::Neg, DType::Untyped, {at("x")}); }) ==
          "invariant 4: an expression of copy has no type");
    CHECK(broken([](K& k) { edit(k, 0)->places[0].array = "x"; }) == "invariant 4: copy writes x, which is an input");
    CHECK(broken([](K& k) {
              k.rules = {{"u", {"v"}, variable("w"), {}}};
          }) == "invariant 4: rule u uses w, which is none of its parameters and no name of the kernel that fits there");
    CHECK(broken([](K& k) { k.rules = {{"u", {"v"}, at("x", "v"), {}}}; }) == "kept");
}

TEST_CASE("Invariant 5: temporaries", "[check]") {
    auto with_temporary = [](K& k) {
        k.arrays.push_back(array("t", Role::Temp));
        edit(k, 0)->places[0].array = "t";
    };
    CHECK(broken([&](K& k) {
              with_temporary(k);
              k.root = make_block(k.root->children, {"t"});
          }) == "kept");
    CHECK(broken(with_temporary) == "invariant 5: copy uses temporary t outside the block that declares it");
    CHECK(broken([&](K& k) {
              with_temporary(k);
              k.root = make_block({make_block({}, {"t"}), k.root->children[0]});
          }) == "invariant 5: copy uses temporary t outside the block that declares it");
    CHECK(broken([&](K& k) {
              with_temporary(k);
              k.root = make_block({make_block(k.root->children, {"t"})}, {"t"});
          }) == "invariant 5: temporary t is declared in two blocks");
    CHECK(broken([](K& k) { k.root = make_block(k.root->children, {"t"}); }) ==
          "invariant 5: a block declares t, which is no array of the kernel");
}

TEST_CASE("Invariant 6: shapes, assumptions, tables", "[check]") {
    CHECK(broken([](K& k) { k.arrays[0].shape = {variable("q")}; }) ==
          "invariant 6: the shape of x uses q, which is no index parameter");
    CHECK(broken([](K& k) { k.assumptions = domain_of(at_least(i, 0)); }) ==
          "invariant 6: 'where' uses i, which is no index parameter");
    CHECK(broken([](K& k) { k.arrays[0].layout.order = {1}; }) == "invariant 6: the layout of x does not fit its 1 dimensions");
    CHECK(broken([](K& k) { k.arrays.push_back(array("w", Role::Table, {int_literal(2)})); }) ==
          "invariant 6: w and the values of a constant table do not belong together");
    CHECK(broken([](K& k) {
              k.arrays.push_back(array("w", Role::Table, {int_literal(2)}));
              k.arrays.back().table = std::make_shared<TableData>(TableData{std::vector<std::byte>(8)});
          }) == "invariant 6: table w has 8 bytes of values instead of 16");
    CHECK(broken([](K& k) {
              k.arrays[0].view_of = "q";
              k.argument_order = {"n", "y"};
          }) == "invariant 6: x is a view of q, which does not exist");
}

TEST_CASE("Invariant 7: tags", "[check]") {
    LoopTag shared{LoopTag::Kind::Parallel, false, 0, 2, 0}, unroll{LoopTag::Kind::Unroll, false, 0, 1, 0};
    CHECK(broken([&](K& k) {
              k.root = make_block({loop("i", {make_leaf(0), make_leaf(1)}, shared)});
          }) == "invariant 7: loop i is to share its threads with 1 plain loops perfectly nested in it, but there are 0");
    auto unrolled = [&](K& k) { k.root = make_block({loop("i", {make_leaf(0), make_leaf(1)}, unroll)}); };
    CHECK(broken(unrolled) ==
          "invariant 7: loop i is to be unrolled, but the number of its iterations around copy is not constant");
    CHECK(broken([&](K& k) {
              unrolled(k);
              k.assumptions = domain_of(equal(n, 4));
          }) == "kept");
    CHECK(broken([&](K& k) {
              unrolled(k);
              for (std::size_t s : {0, 1}) edit(k, s)->domain = Domain{{{at_least(i, n), less(i, n + 3)}}};
          }) == "invariant 7: loop i is to be unrolled, but the number of its iterations around copy is not constant");
}

TEST_CASE("Invariant 8: updates", "[check]") {
    CHECK(broken([](K& k) { edit(k, 1)->values[0] = at("y"); }) ==
          "invariant 8: more updates y and reads it on its right side");
    CHECK(broken([](K& k) {
              k.rules = {{"u", {"v"}, read("y", {variable("v")}), {}}};
              edit(k, 1)->values[0] = make(Op::Rule, DType::F64, {variable("i")}, "u");
          }) == "invariant 8: more updates y and reads it on its right side");
}
