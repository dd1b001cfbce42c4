#include "transform/values.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

namespace {

bool is_plain_identifier(const std::string& text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return !text.empty() && letter(text[0]) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

/// A name as it stands in a line: in backquotes where it would be read as something else.
std::string quoted(Name name) {
    return is_plain_identifier(name.str()) && !is_keyword(name.str()) ? name.str() : "`" + name.str() + "`";
}

Error wrong_type(const std::string& member, const char* wanted, const Json& found) {
    return user_error("syntax", fmt::format("member '{}' of the step shall be {}, but is {}", member, wanted, found.dump()));
}

std::string string_from(const Json& value, const std::string& member, const char* wanted) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) throw wrong_type(member, wanted, value);
    return value.get<std::string>();
}

}  // namespace

LoopRef::LoopRef(std::string_view text) {
    const std::size_t dot = text.rfind('.');
    if (dot != std::string_view::npos) statement = Name(text.substr(0, dot));
    loop = Name(dot == std::string_view::npos ? text : text.substr(dot + 1));
}

std::string LoopRef::str() const { return statement.empty() ? loop.str() : statement.str() + "." + loop.str(); }

LoopRef Codec<LoopRef>::read(LineReader& line, const Fence&) {
    const Name first = line.name("the name of a loop");
    return line.take(".") ? LoopRef(first, line.name("the name of a loop")) : LoopRef(Name(), first);
}
std::string Codec<LoopRef>::print(const LoopRef& value) {
    return value.statement.empty() ? quoted(value.loop) : quoted(value.statement) + "." + quoted(value.loop);
}
Json Codec<LoopRef>::to_json(const LoopRef& value) { return value.str(); }
LoopRef Codec<LoopRef>::from_json(const Json& value, const std::string& member) {
    return LoopRef(string_from(value, member, "the name of a loop"));
}

std::int64_t Codec<std::int64_t>::read(LineReader& line, const Fence&) { return line.integer("an integer"); }
std::string Codec<std::int64_t>::print(const std::int64_t& value) { return std::to_string(value); }
Json Codec<std::int64_t>::to_json(const std::int64_t& value) { return value; }
std::int64_t Codec<std::int64_t>::from_json(const Json& value, const std::string& member) {
    if (!value.is_number_integer()) throw wrong_type(member, "an integer", value);
    return value.get<std::int64_t>();
}

Name Codec<Name>::read(LineReader& line, const Fence&) { return line.name("a name"); }
std::string Codec<Name>::print(const Name& value) { return quoted(value); }
Json Codec<Name>::to_json(const Name& value) { return value.str(); }
Name Codec<Name>::from_json(const Json& value, const std::string& member) { return Name(string_from(value, member, "a name")); }

Expression Codec<Expression>::read(LineReader& line, const Fence& fence) {
    return line.text("an expression", fence.close, fence.stops);
}
std::string Codec<Expression>::print(const Expression& value) { return value.text; }
Json Codec<Expression>::to_json(const Expression& value) { return value.text; }
Expression Codec<Expression>::from_json(const Json& value, const std::string& member) {
    if (value.is_number_integer()) return value.get<std::int64_t>();
    return string_from(value, member, "an expression");
}

Formula Codec<Formula>::read(LineReader& line, const Fence& fence) {
    return line.text("a condition", fence.close, fence.stops);
}
std::string Codec<Formula>::print(const Formula& value) { return value.text; }
Json Codec<Formula>::to_json(const Formula& value) { return value.text; }
Formula Codec<Formula>::from_json(const Json& value, const std::string& member) {
    return string_from(value, member, "a condition");
}

namespace {

AddressSpace space_named(const std::string& text, const std::string& where) {
    if (const auto space = space_from(text)) return *space;
    throw user_error("syntax", fmt::format("'{}' is no address space{}", text, where)).hint("private, shared, global, heap");
}

}  // namespace

AddressSpace Codec<AddressSpace>::read(LineReader& line, const Fence&) {
    const Error here = line.error("");
    try {
        return space_named(line.name("an address space").str(), "");
    } catch (Error& e) {
        e.locate(here.loc());
        throw;
    }
}
std::string Codec<AddressSpace>::print(const AddressSpace& value) { return std::string(name_of(value)); }
Json Codec<AddressSpace>::to_json(const AddressSpace& value) { return std::string(name_of(value)); }
AddressSpace Codec<AddressSpace>::from_json(const Json& value, const std::string& member) {
    return space_named(string_from(value, member, "an address space"), " (member '" + member + "')");
}

DeviceAxis::DeviceAxis(std::string_view text) {
    const std::size_t dot = text.find('.');
    const std::string_view level = text.substr(0, dot), axis = dot == std::string_view::npos ? "" : text.substr(dot + 1);
    const std::size_t at = axis.size() == 1 ? std::string_view("xyz").find(axis) : std::string_view::npos;
    if ((level != "block" && level != "lane") || at == std::string_view::npos)
        throw user_error("argument", fmt::format("'{}' is no axis of a device", text))
            .hint("block.x, block.y, block.z: of the grid; lane.x, lane.y, lane.z: of a block");
    lane = level == "lane";
    number = static_cast<int>(at);
}
std::string DeviceAxis::str() const { return std::string(lane ? "lane" : "block") + "." + "xyz"[number]; }

DeviceAxis Codec<DeviceAxis>::read(LineReader& line, const Fence&) {
    const Error here = line.error("");
    try {
        std::string text = line.name("an axis").str();
        if (line.take(".")) text += "." + line.name("x, y or z").str();
        return DeviceAxis(text);
    } catch (Error& e) {
        e.locate(here.loc());
        throw;
    }
}
std::string Codec<DeviceAxis>::print(const DeviceAxis& value) { return value.str(); }
Json Codec<DeviceAxis>::to_json(const DeviceAxis& value) { return value.str(); }
DeviceAxis Codec<DeviceAxis>::from_json(const Json& value, const std::string& member) { return DeviceAxis(string_from(value, member, "an axis")); }

bool Codec<bool>::read(LineReader&, const Fence&) { return true; }
std::string Codec<bool>::print(const bool&) { return ""; }
Json Codec<bool>::to_json(const bool& value) { return value; }
bool Codec<bool>::from_json(const Json& value, const std::string& member) {
    if (!value.is_boolean()) throw wrong_type(member, "true or false", value);
    return value.get<bool>();
}

}  // namespace heddle
