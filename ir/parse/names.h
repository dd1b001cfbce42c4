// The names that are visible at a place of a kernel, and fresh ones. Internal to the reader.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/error.h"
#include "ir/name.h"
#include "ir/parse/lexer.h"

namespace heddle {

/// What a visible name stands for. `name` is what the kernel calls it, which differs from the text where a name was used
/// before.
struct Symbol {
    enum class Kind : std::uint8_t { Loop, Parameter, Array, Rule, Operator, Extern, Operand };
    Kind kind;
    Name name;
    Loc loc;
    std::size_t index = 0;   ///< Array: position in KernelData::arrays
    bool read_only = false;  ///< Array: a `let`, a table or a view
};
std::string_view kind_text(Symbol::Kind kind);  ///< "a loop", …

class Names {
public:
    /// Notes every word of the kernel's text, so that made-up names differ from all of them, and which name loops.
    Names(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

    const Symbol* find(Name text) const;
    /// Makes a name visible until its block is closed. A name that is visible already is an error ("name") with both places.
    void declare(Name text, Symbol symbol);
    /// Is it free for a declaration here? The same error otherwise.
    void require_free(Name text, const Loc& loc) const;

    void open() { marks_.push_back(declared_.size()); }
    void close();

    /// What an array declared as `text` is called in the kernel: itself, unless an array or a loop elsewhere has that name.
    Name array_name(Name text);
    /// A name that stands nowhere in the text and was not made before: base, base_1, base_2, …
    Name fresh(const std::string& base);
    /// A label made of a name of the text: itself, unless something is labelled so.
    Name label_of(Name text);
    /// Notes a label the user wrote; twice is an error with both places.
    void label(Name label, const Loc& loc);
    void note_label(Name label) { labelled_.emplace(label, Loc()); }
    Name next_label();  ///< S0, S1, …

    /// "unknown name 'x'" with near matches among the visible names and `more`.
    Error unknown(std::string_view what, Name text, const Loc& loc, std::vector<std::string> more = {}) const;

private:
    std::unordered_map<Name, Symbol> visible_;
    std::vector<Name> declared_;
    std::vector<std::size_t> marks_;
    std::unordered_set<std::string_view> words_, loops_, labels_;
    std::unordered_set<Name> made_, arrays_;
    std::unordered_map<Name, Loc> labelled_;
    std::unordered_map<std::string, std::size_t> next_number_;  ///< where the search for a base's first free number starts
    std::size_t next_label_ = 0;
};

/// Opens a block of names while it lives.
class NameBlock {
public:
    explicit NameBlock(Names& names) : names_(names) { names_.open(); }
    ~NameBlock() { names_.close(); }
    NameBlock(const NameBlock&) = delete;

private:
    Names& names_;
};

}  // namespace heddle
