#include "runtime/cuda_emulated/scan.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace heddle::runtime {
namespace {

using Words = std::vector<std::string_view>;

bool letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name(std::string_view w) { return letter(w[0]) && std::isdigit(static_cast<unsigned char>(w[0])) == 0; }

/// Cuts text into names, numbers and single characters; a literal is the one character that opens it.
class Cutter {
public:
    explicit Cutter(std::string_view text) : text_(text) {}
    Words words() {
        Words out;
        while (skip(), at_ < text_.size()) out.push_back(word());
        return out;
    }

private:
    bool sees(std::string_view s) const { return text_.substr(at_, s.size()) == s; }
    void past(std::string_view s) { at_ = std::min(text_.find(s, at_), text_.size() - s.size()) + s.size(); }
    void past_line() {
        for (; at_ < text_.size() && text_[at_] != '\n'; at_++)
            if (text_[at_] == '\\') at_++;
    }
    /// Spaces, comments, preprocessor lines.
    void skip() {
        for (bool fresh = at_ == 0; at_ < text_.size();) {
            if (sees("//"))
                past_line();
            else if (sees("/*") && text_.size() - at_ > 2)
                at_ += 2, past("*/");
            else if (text_[at_] == '#' && fresh)
                past_line();
            else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
                fresh = fresh || text_[at_] == '\n', at_++;
            else
                return;
        }
    }
    std::string_view word() {
        const std::size_t from = at_++;
        if (letter(text_[from])) {
            while (at_ < text_.size() && letter(text_[at_])) at_++;
            return text_.substr(from, at_ - from);
        }
        if (text_[from] == '"' || text_[from] == '\'') {
            for (; at_ < text_.size() && text_[at_] != text_[from]; at_++)
                if (text_[at_] == '\\') at_++;
            at_ = std::min(at_ + 1, text_.size());
        }
        return text_.substr(from, 1);
    }
    std::string_view text_;
    std::size_t at_ = 0;
};

/// Finds kernels and dynamic arrays in the words.
class Finder {
public:
    explicit Finder(const std::string& text) : words_(Cutter(text).words()) {}
    CudaText find() {
        for (std::size_t i = 0; i < words_.size(); i++) {
            if (words_[i] == "__global__") kernel(i);
            if (words_[i] == "__shared__") array(i);
            scope(i);
        }
        return std::move(out_);
    }

private:
    std::string_view at(std::size_t i) const { return i < words_.size() ? words_[i] : std::string_view("\n"); }
    bool begins_declaration(std::size_t i) const { return at(i) == ";" || at(i) == "{" || at(i) == "}"; }
    std::size_t declaration(std::size_t i) const {
        while (i > 0 && !begins_declaration(i - 1)) i--;
        return i;
    }
    bool has(std::size_t from, std::size_t to, std::string_view word) const {
        for (; from < to; from++)
            if (at(from) == word) return true;
        return false;
    }
    /// Behind the parenthesis that closes the one at i.
    std::size_t behind(std::size_t i) const {
        int depth = 0;
        for (; i < words_.size(); i++) {
            depth += at(i) == "(" ? 1 : at(i) == ")" ? -1 : 0;
            if (depth == 0) return i + 1;
        }
        return i;
    }
    void scope(std::size_t i) {
        if (at(i) == "}" && !scopes_.empty()) scopes_.pop_back();
        if (at(i) != "{") return;
        const std::size_t from = declaration(i);
        scopes_.emplace_back(has(from, i, "namespace") && is_name(at(i - 1)) && at(i - 1) != "namespace" ? at(i - 1) : "");
    }
    void kernel(std::size_t i) {
        CudaText::Kernel found;
        const bool is_template = has(declaration(i), i, "template");
        std::string_view name;
        for (i++; i < words_.size() && at(i) != "(" && !begins_declaration(i); i++) {
            if (is_name(at(i))) name = at(i);
            if (at(i + 1) != "(" || (at(i) != "__launch_bounds__" && at(i) != "__attribute__")) continue;
            if (at(i) == "__launch_bounds__") found.bound = first_argument(i + 1);
            i = behind(i + 1) - 1;
        }
        if (is_template || name.empty() || at(i) != "(" || at(behind(i)) != "{") return;
        for (const std::string_view scope : scopes_)
            if (!scope.empty()) found.name += std::string(scope) + "::";
        found.name += name;
        out_.kernels.push_back(std::move(found));
    }
    std::string first_argument(std::size_t i) const {
        std::string out;
        int depth = 0;
        for (const std::size_t end = behind(i++) - 1; i < end && (depth > 0 || at(i) != ","); i++) {
            depth += at(i) == "(" ? 1 : at(i) == ")" ? -1 : 0;
            out += (out.empty() ? "" : " ") + std::string(at(i));
        }
        return out;
    }
    void array(std::size_t i) {
        std::size_t end = i;
        while (end < words_.size() && !begins_declaration(end)) end++;
        if (!has(declaration(i), end, "extern")) return;
        std::string_view name;
        for (std::size_t k = i; k < end && at(k) != "["; k++) {
            if (at(k + 1) == "(") k = behind(k + 1) - 1;
            if (is_name(at(k))) name = at(k);
        }
        if (name.empty()) return;
        const std::string symbol = linker_name(std::string(name));
        if (std::find(out_.dynamic.begin(), out_.dynamic.end(), symbol) == out_.dynamic.end()) out_.dynamic.push_back(symbol);
    }
    /// As the C++ ABI of Itanium has it.
    std::string linker_name(const std::string& name) const {
        std::string inner;
        for (const std::string_view scope : scopes_)
            if (!scope.empty()) inner += std::to_string(scope.size()) + std::string(scope);
        return inner.empty() ? name : "_ZN" + inner + std::to_string(name.size()) + name + "E";
    }

    Words words_;
    std::vector<std::string_view> scopes_;
    CudaText out_;
};

}  // namespace

CudaText scan_cuda_text(const std::string& text) { return Finder(text).find(); }

}  // namespace heddle::runtime
