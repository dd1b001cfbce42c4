#include "ir/parse/file.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "ir/parse/kernel.h"

namespace heddle {
namespace {

/// A kernel found by looking over the tokens: where it stands, what it calls, how many operators and externs stand before it.
struct Outline {
    Name name;
    std::size_t begin = 0, end = 0;
    std::vector<std::pair<Name, std::size_t>> calls;  ///< callee, position of its name
    std::size_t operators = 0, externs = 0;
    std::shared_ptr<const KernelData> data;
};

class FileReader {
public:
    explicit FileReader(std::shared_ptr<const Source> source)
        : cursor_(source, std::make_shared<const std::vector<Token>>(tokenize(source))) {}

    Unit run() {
        while (!cursor_.at_end()) item();
        for (const Outline& k : kernels_) scope_.kernel_names.push_back(k.name.str());
        for (const std::size_t k : callees_first()) read_kernel(kernels_[k]);
        Unit out;
        for (Outline& k : kernels_) out.kernels.emplace_back(std::move(k.data));
        check_schedules();
        out.schedules = std::move(schedules_);
        return out;
    }

private:
    void item() {
        const Token& t = cursor_.peek();
        if (t.is_word("kernel")) return outline();
        if (t.is_word("schedule")) return schedule();
        if (t.is_word("operator")) return add_operator();
        if (t.is_word("extern")) return add_extern();
        Error error = cursor_.unexpected("'kernel', 'schedule', 'operator' or 'extern'");
        const std::string near = near_matches(t.text, {"kernel", "schedule", "operator", "extern"});
        throw error.hint(near.empty() ? "a kernel begins: kernel name(n : index; x : in f64[n]) { … }" : near);
    }

    void add_operator() {
        OperatorDef def = read_operator(cursor_);
        for (const OperatorDef& old : operators_)
            if (old.name == def.name) throw twice("operator", def.name, def.loc, old.loc);
        operators_.push_back(std::move(def));
    }

    void add_extern() {
        ExternDef def = read_extern(cursor_);
        for (const ExternDef& old : externs_)
            if (old.name == def.name) throw twice("extern function", def.name, def.loc, old.loc);
        externs_.push_back(std::move(def));
    }

    static Error twice(std::string_view what, Name name, const Loc& loc, const Loc& first) {
        return user_error("name", fmt::format("two {}s are called '{}'", what, name.str()), loc).note("the first one", first);
    }

    /// Notes a kernel's place and calls; its body is read later.
    void outline() {
        Outline k;
        k.begin = cursor_.position();
        cursor_.next();
        const Token& name = cursor_.expect_name("the kernel's name");
        k.name = Name(name.text);
        for (const Outline& old : kernels_)
            if (old.name == k.name) throw twice("kernel", k.name, cursor_.loc(name), cursor_.loc(cursor_.tokens()[old.begin]));
        k.operators = operators_.size();
        k.externs = externs_.size();
        skip_body(k);
        k.end = cursor_.position();
        kernels_.push_back(std::move(k));
    }

    /// To behind the body's closing brace; to the end of the file where that is missing, which the kernel's own reading
    /// reports.
    void skip_body(Outline& k) {
        std::size_t depth = 0;
        while (!cursor_.at_end()) {
            const Token& t = cursor_.next();
            if (t.is_word("call") && cursor_.peek().is_name())
                k.calls.emplace_back(Name(cursor_.peek().text), cursor_.position());
            if (t.is("{")) ++depth;
            if (t.is("}") && (depth == 0 || --depth == 0)) return;
            if (depth == 0 && t.new_line && (t.is_word("kernel") || t.is_word("schedule"))) {
                cursor_.move_to(cursor_.position() - 1);
                return;
            }
        }
    }

    /// Indices of the kernels, each behind those it calls. A circle of calls is an error. No recursion: chains of calls may be
    /// long.
    std::vector<std::size_t> callees_first() const {
        std::map<Name, std::size_t> index;
        for (std::size_t k = 0; k < kernels_.size(); ++k) index.emplace(kernels_[k].name, k);
        enum class State { Unseen, Open, Done };
        std::vector<State> states(kernels_.size(), State::Unseen);
        std::vector<std::size_t> out;
        for (std::size_t root = 0; root < kernels_.size(); ++root) {
            std::vector<std::pair<std::size_t, std::size_t>> stack;
            if (states[root] == State::Unseen) stack.emplace_back(root, 0);
            while (!stack.empty()) {
                const std::size_t at = stack.back().first;
                states[at] = State::Open;
                if (stack.back().second == kernels_[at].calls.size()) {
                    states[at] = State::Done;
                    out.push_back(at);
                    stack.pop_back();
                    continue;
                }
                const auto& [callee, position] = kernels_[at].calls[stack.back().second++];
                const auto found = index.find(callee);
                if (found == index.end() || states[found->second] == State::Done) continue;
                if (states[found->second] == State::Open) refuse_circle(stack, found->second, position);
                stack.emplace_back(found->second, 0);
            }
        }
        return out;
    }

    [[noreturn]] void refuse_circle(const std::vector<std::pair<std::size_t, std::size_t>>& stack, std::size_t target,
                                    std::size_t position) const {
        const std::string name = kernels_[target].name.str();
        std::string chain;
        constexpr std::size_t most_shown = 8;
        std::size_t shown = 0;
        bool inside = false;
        for (const auto& [k, next] : stack) {
            inside |= k == target;
            if (inside && ++shown <= most_shown) chain += kernels_[k].name.str() + " -> ";
        }
        if (shown > most_shown) chain += "… -> ";
        throw user_error("recursion", fmt::format("kernel '{}' calls itself: {}{}", name, chain, name),
                         cursor_.loc(cursor_.tokens()[position]))
            .hint("a kernel may call others only, without a circle: write a loop");
    }

    void read_kernel(Outline& k) {
        scope_.operators.assign(operators_.begin(), operators_.begin() + static_cast<std::ptrdiff_t>(k.operators));
        scope_.externs.assign(externs_.begin(), externs_.begin() + static_cast<std::ptrdiff_t>(k.externs));
        cursor_.move_to(k.begin);
        k.data = KernelReader(cursor_, k.end, scope_).run();
        scope_.kernels.emplace(k.name, k.data);
    }

    /// "schedule name for kernel { lines }", kept as text.
    void schedule() {
        ScheduleText s;
        s.loc = cursor_.loc(cursor_.next());
        s.name = cursor_.expect_name("the schedule's name").text;
        if (cursor_.accept_word("for")) {
            kernel_places_.push_back(cursor_.position());
            s.kernel = cursor_.expect_name("the kernel's name").text;
        } else if (cursor_.at("{")) {
            kernel_places_.push_back(cursor_.position());
        } else {
            cursor_.fail("'for' and the kernel's name");
        }
        const Token& open = cursor_.expect("{", "to begin the schedule");
        std::size_t depth = 1;
        while (true) {
            if (cursor_.at_end()) cursor_.expect_close("}", open);
            const Token& t = cursor_.next();
            depth += t.is("{") ? 1 : 0;
            if (t.is("}") && --depth == 0) {
                lines(s, open.offset + 1, t.offset, open.line);
                break;
            }
        }
        schedules_.push_back(std::move(s));
    }

    /// The lines of the text from `begin` to `end` without comments and white space around them; empty ones are left out.
    void lines(ScheduleText& s, std::size_t begin, std::size_t end, std::uint32_t line) const {
        const std::string_view text = std::string_view(cursor_.source()->text);
        constexpr std::string_view blanks = " \t\r\f\v";
        while (begin < end) {
            const std::size_t stop = std::min(text.find('\n', begin), end);
            std::string_view one = text.substr(begin, stop - begin);
            one = one.substr(0, one.find('#'));
            const std::size_t first = one.find_first_not_of(blanks);
            if (first != std::string_view::npos) {
                const std::size_t line_start = text.rfind('\n', begin + first) + 1;
                one = one.substr(first, one.find_last_not_of(blanks) + 1 - first);
                const auto column = static_cast<std::uint32_t>(begin + first - line_start + 1);
                s.lines.push_back({std::string(one), {cursor_.source(), line, column}});
            }
            begin = stop + 1;
            ++line;
        }
    }

    /// Every schedule is for a kernel of the file, and no two of one kernel share a name.
    void check_schedules() {
        for (std::size_t k = 0; k < schedules_.size(); ++k) {
            ScheduleText& s = schedules_[k];
            const Loc loc = cursor_.loc(cursor_.tokens()[kernel_places_[k]]);
            if (s.kernel.empty() && scope_.kernel_names.size() == 1) s.kernel = scope_.kernel_names[0];
            if (s.kernel.empty())
                throw user_error("name", "the file holds several kernels: 'for' and a kernel's name is missing", loc);
            const auto& known = scope_.kernel_names;
            if (std::find(known.begin(), known.end(), s.kernel) == known.end()) {
                Error error = user_error("name", fmt::format("there is no kernel '{}' in this file", s.kernel), loc);
                const std::string near = near_matches(s.kernel, known);
                if (!near.empty()) error.hint(near);
                throw error;
            }
            for (std::size_t l = 0; l < k; ++l)
                if (schedules_[l].name == s.name && schedules_[l].kernel == s.kernel)
                    throw twice("schedule", Name(s.name), s.loc, schedules_[l].loc);
        }
    }

    Cursor cursor_;
    FileScope scope_;
    std::vector<Outline> kernels_;
    std::vector<OperatorDef> operators_;
    std::vector<ExternDef> externs_;
    std::vector<ScheduleText> schedules_;
    std::vector<std::size_t> kernel_places_;  ///< token of each schedule's kernel
};

}  // namespace

Unit read_file(std::shared_ptr<const Source> source) { return FileReader(std::move(source)).run(); }

}  // namespace heddle
