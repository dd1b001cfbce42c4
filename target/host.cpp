#include "target/host.h"

#include <algorithm>

#include "ir/error.h"
#include "ir/print.h"

namespace heddle {

std::string quoted_text(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

namespace {

std::string argument_declaration(const Array& a, const std::string& name) {
    if (a.by_value()) return c_type(a.type) + " " + name;
    return (a.role == Role::In ? "const " : "") + c_type(a.type) + " *" + name;
}

}  // namespace

HostEmitter::HostEmitter(const Program& program, const NameTable& names, const std::vector<DeviceText>& functions,
                         HelperSet& helpers)
    : program_(program),
      kernel_(*program.kernel),
      names_(names),
      functions_(functions),
      helpers_(helpers),
      writer_(kernel_, names_, helpers),
      name_(c_identifier(kernel_.name.str())),
      allocator_(names_.fresh("allocator")),
      memory_(names_.fresh("workspace")),
      plan_(names_.fresh("at")),
      bytes_(names_.fresh("bytes")),
      status_(names_.fresh("status")),
      fits_(names_.fresh("fits")),
      failure_(names_.fresh("failure")),
      device_(names_.fresh("device")),
      stream_(names_.fresh("stream")) {
    for (const Array& a : kernel_.arrays) {
        if (a.by_value() || a.role == Role::Table || !a.view_of.empty()) continue;
        Locals& own = locals_[a.name];
        if (a.is_argument()) own.bytes = names_.fresh(names_(a.name) + "_bytes");
        if (a.layout.strides.empty()) continue;
        own.extents = names_.fresh(names_(a.name) + "_extents");
        own.strides = names_.fresh(names_(a.name) + "_strides");
    }
}

std::string HostEmitter::prototype(const std::string& suffix, const std::vector<std::string>& extra) const {
    DeviceText shape;
    shape.name = name_ + suffix;
    for (Name name : kernel_.argument_order) {
        const Array* a = kernel_.find_array(name);
        for (const std::string& pointer : pointers_of(name))
            shape.parameters.push_back({name, a ? argument_declaration(*a, pointer) : "int64_t " + pointer});
    }
    for (const std::string& declaration : extra) shape.parameters.push_back({{}, declaration});
    return shape.signature().replace(0, 4, "int");
}

std::string HostEmitter::call_of(const std::string& suffix, const std::string& extra) const {
    std::string out;
    for (Name name : kernel_.argument_order)
        for (const std::string& pointer : pointers_of(name)) out += (out.empty() ? "" : ", ") + pointer;
    if (!extra.empty()) out += (out.empty() ? "" : ", ") + extra;
    return name_ + suffix + "(" + out + ")";
}

std::string HostEmitter::refuse(int code, const std::string& message) const {
    return "return " + name_ + "_fail(" + std::to_string(code) + ", " + quoted_text(kernel_.name.str() + ": " + message) + ");";
}

/// What the caller passes for an argument: one name, or one for each array of a separate axis.
std::vector<std::string> HostEmitter::pointers_of(Name argument) const {
    std::vector<std::string> out;
    for (std::size_t k = 0; k < names_.parts(argument); ++k) out.push_back(names_.part(argument, k));
    if (out.empty()) out.push_back(names_(argument));
    return out;
}

std::vector<HostEmitter::Memory> HostEmitter::memories() const {
    std::vector<Memory> out;
    for (const Array& a : kernel_.arrays)
        if (a.is_argument() && !a.by_value() && a.view_of.empty())
            for (const std::string& pointer : pointers_of(a.name))
                out.push_back({&a, pointer, a.shape.empty() ? std::to_string(size_of(a.type)) : locals_.at(a.name).bytes});
    return out;
}

void HostEmitter::check_where(Lines& out) {
    const Domain& where = kernel_.assumptions;
    if (!where.convex()) {
        out.line("if (!(" + writer_.condition(where) + ")) " + refuse(1, "the sizes break the kernel's 'where'"));
        return;
    }
    for (const Constraint& c : where.pieces[0])
        out.line("if (" + writer_.broken(c) + ") " + refuse(1, "'" + print(c) + "' does not hold"));
}

/// Elements of a written array lie apart, and none lies before the array's address.
void HostEmitter::check_strides(Lines& out) {
    const auto check = [&](const Array& a) {
        if (a.layout.strides.empty()) return;
        const std::string written = a.role == Role::In ? "false" : "true";
        out.line("if (!" + helpers_.use("strides_fit") + "(" + axes_text(a) + ", " + written + ")) " +
                 refuse(1, "the strides of '" + a.name.str() + "' are negative" +
                               (a.role == Role::In ? "" : " or put two elements in one place")));
    };
    for (const Array& a : kernel_.arrays)
        if (locals_.count(a.name) && a.is_argument()) check(a);
    for (const Slot& slot : program_.memory) {
        const Array& a = *kernel_.find_array(slot.name);
        declare_size(a, out);
        check(a);
    }
}

void HostEmitter::check_pointers(Lines& out) {
    for (const Memory& m : memories()) {
        const bool scalar = m.array->shape.empty();
        out.line("if (" + (scalar ? "" : m.bytes + " > 0 && ") + "!" + m.pointer + ") " +
                 refuse(1, "'" + (names_.parts(m.array->name) ? m.pointer : m.array->name.str()) + "' is a null pointer"));
    }
}

bool HostEmitter::must_not_overlap(const Array& a, const Array& b) const {
    if (a.role == Role::In && b.role == Role::In) return false;
    if (a.may_alias || b.may_alias) return false;
    return std::none_of(kernel_.assertions.begin(), kernel_.assertions.end(), [&](const Assertion& s) {
        const auto has = [&](Name n) { return std::find(s.arrays.begin(), s.arrays.end(), n) != s.arrays.end(); };
        return s.kind == Assertion::Kind::NonAliasing && has(a.name) && has(b.name);
    });
}

/// No two memories of which one is written share bytes: pair by pair, or, where there are many, sorted by address.
void HostEmitter::check_overlap(Lines& out) {
    constexpr std::size_t many = 12;
    const auto all = memories();
    if (all.size() > many) return check_many_overlap(all, out);
    for (std::size_t k = 0; k < all.size(); ++k)
        for (std::size_t m = k + 1; m < all.size(); ++m) {
            if (!must_not_overlap(*all[k].array, *all[m].array)) continue;
            out.line("if (" + helpers_.use("overlap") + "(" + all[k].pointer + ", " + all[k].bytes + ", " + all[m].pointer +
                     ", " + all[m].bytes + ")) " +
                     refuse(1, "'" + all[k].array->name.str() + "' and '" + all[m].array->name.str() + "' overlap"));
        }
}

void HostEmitter::check_many_overlap(const std::vector<Memory>& all, Lines& out) {
    const std::string ranges = names_.fresh("ranges"), count = names_.fresh("count"), other = names_.fresh("other");
    out.line("heddle_range *const " + ranges + " = (heddle_range *)malloc(" + std::to_string(all.size()) +
             " * sizeof(heddle_range));");
    out.line("if (!" + ranges + ") " + refuse(2, "out of memory"));
    out.line("size_t " + count + " = 0;");
    for (const Memory& m : all)
        if (!m.array->may_alias)
            out.line("heddle_note(" + ranges + ", &" + count + ", " + quoted_text(m.array->name.str()) + ", " + m.pointer +
                     ", " + m.bytes + ", " + (m.array->role == Role::In ? "false" : "true") + ");");
    out.line("const char *" + other + " = NULL, *const " + status_ + " = " + helpers_.use("overlapping") + "(" + ranges + ", " +
             count + ", &" + other + ");");
    out.line("free(" + ranges + ");");
    out.line("if (" + status_ + ") return " + name_ + "_overlap(" + status_ + ", " + other + ");");
}

/// All checks, in an order in which each may rely on those before.
void HostEmitter::checks(Lines& out) {
    check_where(out);
    Lines sizes(out.depth());
    may_not_fit_ = false;
    const Array* last = nullptr;
    for (const Memory& m : memories()) {
        if (m.array == last || m.array->shape.empty()) continue;
        last = m.array;
        declare_size(*last, sizes);
    }
    check_strides(sizes);
    if (may_not_fit_) out.line("bool " + fits_ + " = true;");
    out.raw(sizes.text());
    check_pointers(out);
    check_overlap(out);
}

/// Arguments that the text does not use are said to be so.
void HostEmitter::ignore_unused(Lines& out, const std::unordered_set<Name>& used) {
    for (Name name : kernel_.argument_order) {
        const Array* a = kernel_.find_array(name);
        if (!used.count(name) && (a ? a->by_value() : !writer_.used.count(name))) out.line("(void)" + names_(name) + ";");
    }
}

/// The call of the device function, and what became of it as the last thing that the function returns.
void HostEmitter::call_device(Lines& out) {
    const DeviceText& function = functions_[0];
    std::string text = function.name + "(";
    for (std::size_t k = 0; k < function.parameters.size(); ++k) {
        const auto& [parameter, declaration, part] = function.parameters[k];
        const Array* a = kernel_.find_array(parameter);
        text += (k ? ", " : "") + (parameter.empty()            ? "&" + failure_
                                   : part >= 0                  ? names_.part(parameter, static_cast<std::size_t>(part))
                                   : a && a->role == Role::Temp ? "(" + c_type(a->type) + " *)" + helpers_.use("at") + "(" +
                                                                      memory_ + ", " + plan_ + "->" + names_(parameter) + ")"
                                                                : names_(parameter));
    }
    const bool tested = needs_failure_note(program_);
    if (tested) out.line("heddle_failure " + failure_ + " = {0, 0, 0};");
    out.line(text + ");");
    out.line(tested ? "return " + failure_ + ".where ? " + name_ + "_outside(&" + failure_ + ") : 0;" : "return 0;");
}

/// What device functions take.
std::unordered_set<Name> HostEmitter::passed() const {
    std::unordered_set<Name> out;
    for (const DeviceText& f : functions_)
        for (const DeviceParameter& p : f.parameters) out.insert(p.name);
    return out;
}

/// Checks and call in one: the kernel needs no memory.
std::string HostEmitter::one_function() {
    Lines out;
    out.open(prototype() + " {");
    checks(out);
    ignore_unused(out, passed());
    call_device(out);
    out.close();
    return out.text();
}

/// The functions of this kernel's own that a text uses.
std::string HostEmitter::helper_functions(const std::string& text) const {
    const auto uses = [&](const char* word) { return text.find(word) != std::string::npos; };
    std::string out;
    if (uses("_fail("))
        out += "static int " + name_ + "_fail(int code, const char *message) {\n    snprintf(" + name_ + "_message, sizeof " +
               name_ + "_message, \"%.255s\", message);\n    return code;\n}\n\n";
    if (uses("_outside("))
        out += "static int " + name_ + "_outside(const heddle_failure *failure) {\n    snprintf(" + name_ +
               "_message, sizeof " + name_ +
               "_message, \"%.60s: %.120s: index %lld is outside 0 <= index < %lld\",\n             " +
               quoted_text(kernel_.name.str()) +
               ", failure->where, (long long)failure->index, (long long)failure->extent);\n    return 7;\n}\n\n";
    if (uses("heddle_note("))
        out += "static int " + name_ + "_overlap(const char *one, const char *other) {\n    snprintf(" + name_ +
               "_message, sizeof " + name_ + "_message, \"%.60s: '%.80s' and '%.80s' overlap\",\n             " +
               quoted_text(kernel_.name.str()) + ", other, one);\n    return 1;\n}\n\n";
    return out;
}

std::string HostEmitter::functions() {
    const std::string text = launches() ? device_functions() : needs_memory() ? memory_functions() : one_function();
    return "static HEDDLE_THREAD_LOCAL char " + name_ + "_message[256];\n\nconst char *" + name_ +
           "_error(void) {\n    return " + name_ + "_message;\n}\n\n" + helper_functions(text) + text;
}

std::string HostEmitter::entry() {
    std::string arguments;
    std::size_t k = 0;
    for (Name name : kernel_.argument_order)
        for (std::size_t n = pointers_of(name).size(); n > 0; --n) {
            const Array* a = kernel_.find_array(name);
            const std::string at = "arguments[" + std::to_string(k) + "]";
            if (k++) arguments += ",\n        ";
            if (!a)
                arguments += "*(const int64_t *)" + at;
            else if (a->by_value())
                arguments += "*(const " + c_type(a->type) + " *)" + at;
            else
                arguments += "(" + std::string(a->role == Role::In ? "const " : "") + c_type(a->type) + " *)" + at;
        }
    if (launches())
        return "int32_t " + name_ + "_entry(void *const *arguments, const heddle_device *device, void *stream) {\n" +
               (k == 0 ? "    (void)arguments;\n" : "") + "    return " + name_ + "(" + arguments + (k ? ",\n        " : "") +
               "device, stream);\n}\n";
    const bool hands_on = has_allocator();
    if (hands_on) arguments += std::string(k ? ",\n        " : "") + "(const heddle_allocator *)allocator";
    return "int32_t " + name_ + "_entry(void *const *arguments, const void *allocator) {\n" +
           (k == 0 ? "    (void)arguments;\n" : "") + (hands_on ? "" : "    (void)allocator;\n") + "    return " + name_ +
           (hands_on ? "_with_allocator(" : "(") + arguments + ");\n}\n";
}

}  // namespace heddle
