// Single expressions and conditions, for steps and command lines.
#include "ir/error.h"
#include "ir/infer.h"
#include "ir/parse.h"
#include "ir/parse/expr.h"

namespace heddle {
namespace {

/// A text on its own, read against a kernel. Places are those of the surrounding text where there is one.
class Part {
public:
    Part(const KernelData& kernel, std::string_view text, const Loc& at)
        : own_(source_of(text)),
          cursor_(at ? at : Loc{own_, 1, 1}, std::make_shared<const std::vector<Token>>(tokenize(own_))),
          names_(cursor_.tokens(), 0, cursor_.tokens().size()),
          exprs_(cursor_, names_, kernel) {
        exprs_.allow_free_names();
    }

    Expr value() { return ended(exprs_.value()); }
    Domain domain() { return exprs_.domain_or_error(ended(exprs_.condition()), "the condition"); }

private:
    static std::shared_ptr<const Source> source_of(std::string_view text) {
        auto source = std::make_shared<Source>();
        source->name = "<text>";
        source->text = text;
        return source;
    }

    Expr ended(Expr e) const {
        if (!cursor_.at_end()) cursor_.fail("an operator or the end");
        return e;
    }

    std::shared_ptr<const Source> own_;
    Cursor cursor_;
    Names names_;
    ExprReader exprs_;
};

}  // namespace

Expr parse_expression(const KernelData& kernel, std::string_view text, const Loc& at) {
    const Expr e = Part(kernel, text, at).value();
    std::map<Name, DType> free;
    visit(e, [&](const Expr& x) {
        if (x.op() == Op::Var) free.emplace(x.name(), index_type);
    });
    return infer(kernel, e, DType::Untyped, free);
}

Domain parse_condition(const KernelData& kernel, std::string_view text, const Loc& at) {
    return Part(kernel, text, at).domain();
}

}  // namespace heddle
