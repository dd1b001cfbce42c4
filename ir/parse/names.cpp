#include "ir/parse/names.h"

#include <fmt/core.h>

#include <array>

#include "ir/parse/cursor.h"

namespace heddle {

std::string_view kind_text(Symbol::Kind kind) {
    constexpr std::array<std::string_view, 7> texts{
        "a loop",      "an index parameter", "an array or value", "a substitution rule",
        "an operator", "an extern function", "an operand"};
    return texts[static_cast<std::size_t>(kind)];
}

namespace {

/// The end of a list of loop names that starts at `k` (just behind '['), or `k` when none stands there: "i, -j" before ']' or
/// ':'.
std::size_t loop_names_end(const std::vector<Token>& tokens, std::size_t k) {
    const std::size_t start = k;
    while (k + 1 < tokens.size()) {
        if (tokens[k].is("-")) ++k;
        if (!tokens[k].is_name()) return start;
        ++k;
        if (tokens[k].is(":") || tokens[k].is("]")) return k;
        if (!tokens[k].is(",")) return start;
        ++k;
    }
    return start;
}

/// Does the name at `k` label a statement? It begins one and stands before ':', flags or an origin.
bool is_label(const std::vector<Token>& tokens, std::size_t k) {
    if (k == 0 || k + 2 >= tokens.size()) return false;
    const Token &before = tokens[k - 1], &next = tokens[k + 1], &after = tokens[k + 2];
    if (!tokens[k].new_line && !before.is("{") && !before.is("}") && !before.is(";")) return false;
    const bool flags = next.is("[") && (after.is_word("reassociate") || after.is_word("atomic"));
    return next.is(":") || next.is("{") || flags;
}

}  // namespace

Names::Names(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
        const Token& t = tokens[k];
        if (t.is_name()) {
            words_.insert(t.text);
            if (is_label(tokens, k)) labels_.insert(t.text);
        } else if (t.is("[") && k > 0) {
            const std::size_t stop = loop_names_end(tokens, k + 1);
            if (!tokens[k - 1].is_word("for") && !(stop < tokens.size() && tokens[stop].is(":"))) continue;
            for (std::size_t l = k + 1; l < stop; ++l)
                if (tokens[l].is_name()) loops_.insert(tokens[l].text);
        }
    }
}

const Symbol* Names::find(Name text) const {
    const auto it = visible_.find(text);
    return it == visible_.end() ? nullptr : &it->second;
}

void Names::require_free(Name text, const Loc& loc) const {
    if (const Symbol* old = find(text))
        throw user_error("name", fmt::format("'{}' is already {}", text.str(), kind_text(old->kind)), loc)
            .note("declared here", old->loc)
            .hint("names shadow nothing: choose another one");
}

void Names::declare(Name text, Symbol symbol) {
    require_free(text, symbol.loc);
    visible_.emplace(text, std::move(symbol));
    declared_.push_back(text);
}

void Names::close() {
    for (; declared_.size() > marks_.back(); declared_.pop_back()) visible_.erase(declared_.back());
    marks_.pop_back();
}

Name Names::array_name(Name text) {
    const bool taken = arrays_.count(text) || loops_.count(text.str());
    const Name name = taken ? fresh(text.str()) : text;
    arrays_.insert(name);
    return name;
}

Name Names::fresh(const std::string& base) {
    constexpr std::size_t longest_base = longest_name - 40;
    const std::string stem = base.substr(0, longest_base);
    for (std::size_t& k = next_number_[stem];; ++k) {
        const std::string text = k == 0 ? stem : fmt::format("{}_{}", stem, k);
        if (words_.count(text) || is_reserved(text)) continue;
        const Name name(text);
        if (made_.insert(name).second) return name;
    }
}

Name Names::label_of(Name text) {
    const bool taken = labels_.count(text.str()) || labelled_.count(text);
    const Name name = taken ? fresh(text.str()) : text;
    labelled_.emplace(name, Loc());
    return name;
}

void Names::label(Name label, const Loc& loc) {
    const auto [it, is_new] = labelled_.emplace(label, loc);
    if (is_new) return;
    Error error = user_error("name", fmt::format("two statements are labelled '{}'", label.str()), loc);
    if (it->second) error.note("the first one", it->second);
    throw error;
}

Name Names::next_label() {
    while (true) {
        const std::string text = fmt::format("S{}", next_label_++);
        if (words_.count(text)) continue;
        const Name name(text);
        if (labelled_.emplace(name, Loc()).second) return name;
    }
}

Error Names::unknown(std::string_view what, Name text, const Loc& loc, std::vector<std::string> more) const {
    for (const auto& [name, symbol] : visible_) more.push_back(name.str());
    Error error = user_error("name", fmt::format("unknown {} '{}'", what, text.str()), loc);
    const std::string near = near_matches(text.str(), std::move(more));
    if (!near.empty()) error.hint(near);
    return error;
}

}  // namespace heddle
