// The part of the host that gets memory for the temporaries of a call.
#include <algorithm>
#include <set>

#include "target/host.h"
#include "target/place_storage.h"
#include "target/workspace.h"

namespace heddle {
namespace {

bool is_number(const std::string& text) { return text.find_first_not_of("0123456789") == std::string::npos; }

/// The larger of two texts, of numbers at once.
std::string larger(const std::string& a, const std::string& b, HelperSet& helpers) {
    if (a.empty() || a == b || a == "0") return b;
    if (b == "0") return a;
    if (is_number(a) && is_number(b)) return std::stoll(a) > std::stoll(b) ? a : b;
    return helpers.use("larger") + "(" + a + ", " + b + ")";
}

/// The sum of two texts, of numbers at once where it fits.
std::string plus(const std::string& a, const std::string& b, HelperSet& helpers) {
    if (a == "0") return b;
    std::int64_t sum = 0;
    if (is_number(a) && is_number(b) && !__builtin_add_overflow(std::stoll(a), std::stoll(b), &sum)) return std::to_string(sum);
    return helpers.use("plus") + "(" + a + ", " + b + ")";
}

}  // namespace

/// Bytes of one block, whole lines: a number or a call.
std::string HostEmitter::block_text(const Slot& slot) {
    const Array& a = *kernel_.find_array(slot.name);
    const auto constant = constant_bytes(a);
    const std::int64_t to = launches() ? device_alignment : block_alignment;
    const std::string size = constant && *constant <= INT64_MAX - to ? std::to_string((*constant + to - 1) / to * to)
                             : launches() ? helpers_.use("rounded") + "(" + bytes_text(a) + ", " + std::to_string(to) + ")"
                                          : helpers_.use("lines") + "(" + bytes_text(a) + ")";
    return program_.storage.at(slot.name).for_each_thread
               ? helpers_.use("times") + "(" + helpers_.use("threads") + "(), " + size + ")"
               : size;
}

/// Where each block starts, as its field says; `total`: the end of the last. Ends that others need get names, equal ones one.
std::vector<std::string> HostEmitter::place_blocks(Lines& out, std::string& total) {
    std::vector<std::string> starts, ends;
    std::map<std::string, std::string> known;
    std::set<std::size_t> covered;
    for (const Slot& slot : program_.memory) {
        declare_strides(*kernel_.find_array(slot.name), out);
        std::string at = "0";
        for (const std::size_t m : slot.above) at = larger(at, ends[m], helpers_), covered.insert(m);
        if (at.find('(') != std::string::npos) {
            const std::string own = names_.fresh(names_(slot.name) + "_start");
            out.line("const int64_t " + own + " = " + at + ";");
            at = own;
        }
        std::string end = plus(at, block_text(slot), helpers_);
        if (!is_number(end)) {
            const auto [it, is_new] = known.try_emplace(end);
            if (is_new) {
                it->second = names_.fresh(names_(slot.name) + "_end");
                out.line("const int64_t " + it->second + " = " + end + ";");
            }
            end = it->second;
        }
        starts.push_back(at);
        ends.push_back(end);
    }
    for (std::size_t k = 0; k < ends.size(); ++k)
        if (!covered.count(k)) total = larger(total, ends[k], helpers_);
    return starts;
}

std::string HostEmitter::plan_function() {
    Lines body;
    writer_.used.clear();
    body.open("static struct " + name_ + "_plan " + name_ + "_plan_for(" + size_parameters() + ") {");
    std::string total = "0", fields, values;
    Lines places(body.depth());
    may_not_fit_ = false;
    const std::vector<std::string> starts = place_blocks(places, total);
    if (may_not_fit_) body.line("bool " + fits_ + " = true;");
    body.raw(places.text());
    if (may_not_fit_) total = fits_ + " ? " + total + " : INT64_MAX";
    for (std::size_t k = 0; k < starts.size(); ++k) {
        fields += names_(program_.memory[k].name) + ", ";
        values += starts[k] + ", ";
    }
    for (const Parameter& p : kernel_.parameters)
        if (!writer_.used.count(p.name)) body.line("(void)" + names_(p.name) + ";");
    body.line("const struct " + name_ + "_plan " + plan_ + " = {" + values + total + "};");
    body.line("return " + plan_ + ";");
    body.close();
    Lines type;
    type.line("struct " + name_ + "_plan {");
    type.line("    int64_t " + fields + bytes_ + ";");
    type.line("};");
    return "/* Where the temporaries of a call start in its workspace, and what that takes, in bytes; INT64_MAX: more than "
           "fits. "
           "*/\n" +
           type.text() + "\n" + body.text() + "\n";
}

std::string HostEmitter::size_parameters() const {
    std::string out;
    for (const Parameter& p : kernel_.parameters) out += (out.empty() ? "int64_t " : ", int64_t ") + names_(p.name);
    return out.empty() ? "void" : out;
}

std::string HostEmitter::plan_call() const {
    std::string out;
    for (const Parameter& p : kernel_.parameters) out += (out.empty() ? "" : ", ") + names_(p.name);
    return name_ + "_plan_for(" + out + ")";
}

std::string HostEmitter::size_function() const {
    Lines out;
    out.open("int64_t " + name_ + "_workspace_size(" + size_parameters() + ") {");
    out.line("const int64_t " + bytes_ + " = " + plan_call() + "." + bytes_ + ";");
    if (launches())
        out.line("return " + bytes_ + " == INT64_MAX ? -1 : " + bytes_ + ";");
    else
        out.line("return " + bytes_ + " > INT64_MAX - 63 ? -1 : " + bytes_ + " > 0 ? " + bytes_ + " + 63 : 0;");
    out.close();
    return out.text() + "\n";
}

std::string HostEmitter::check_function() {
    Lines out;
    out.open("static " + prototype("_check") + " {");
    writer_.used.clear();
    checks(out);
    ignore_unused(out, {});
    out.line("return 0;");
    out.close();
    return out.text() + "\n";
}

std::string HostEmitter::run_function() {
    Lines out;
    const std::string plan = "const struct " + name_ + "_plan *" + plan_;
    out.open("static " + prototype("_run", {"void *" + memory_, plan}) + " {");
    const std::unordered_set<Name> used = passed();
    for (Name name : kernel_.argument_order)
        if (!used.count(name))
            for (const std::string& pointer : pointers_of(name)) out.line("(void)" + pointer + ";");
    const bool any =
        std::any_of(program_.memory.begin(), program_.memory.end(), [&](const Slot& s) { return used.count(s.name) != 0; });
    if (!any) out.line("(void)" + memory_ + ", (void)" + plan_ + ";");
    call_device(out);
    out.close();
    return out.text() + "\n";
}

/// The face that gets memory itself, and returns it whatever happens.
std::string HostEmitter::own_memory_function() {
    Lines out;
    if (has_allocator())
        out.open(prototype("_with_allocator", {"const heddle_allocator *" + allocator_}) + " {");
    else
        out.open(prototype() + " {");
    out.line("int " + status_ + " = " + call_of("_check") + ";");
    out.line("if (" + status_ + ") return " + status_ + ";");
    if (has_allocator())
        out.line("if (" + allocator_ + " && " + allocator_ + "->size < sizeof *" + allocator_ + ") " +
                 refuse(1, "the allocator is of an older version"));
    out.line("const struct " + name_ + "_plan " + plan_ + " = " + plan_call() + ";");
    out.line("if (" + plan_ + "." + bytes_ + " > INT64_MAX - 63) " +
             refuse(2, "out of memory: the size of its temporaries does not fit 64 bits"));
    const std::string from = has_allocator() ? allocator_ + ", " : "";
    out.line("void *" + memory_ + " = NULL;");
    out.open("if (" + plan_ + "." + bytes_ + " > 0) {");
    out.line(memory_ + " = heddle_allocate(" + from + plan_ + "." + bytes_ + ");");
    out.line("if (!" + memory_ + ") return " + name_ + "_no_memory(" + from + plan_ + "." + bytes_ + ");");
    out.close();
    out.line(status_ + " = " + call_of("_run", memory_ + ", &" + plan_) + ";");
    out.line("heddle_release(" + from + memory_ + ", " + plan_ + "." + bytes_ + ");");
    out.line("return " + status_ + ";");
    out.close();
    std::string text = out.text() + "\n";
    if (has_allocator()) text += prototype() + " {\n    return " + call_of("_with_allocator", "NULL") + ";\n}\n\n";
    return text;
}

/// The face that is given memory.
std::string HostEmitter::buffer_function() {
    Lines out;
    out.open(prototype("_with_workspace", {"void *" + memory_, "int64_t " + bytes_}) + " {");
    out.line("const int " + status_ + " = " + call_of("_check") + ";");
    out.line("if (" + status_ + ") return " + status_ + ";");
    out.line("const struct " + name_ + "_plan " + plan_ + " = " + plan_call() + ";");
    const std::string skip = names_.fresh("skip");
    out.line("const int64_t " + skip + " = (int64_t)((64 - (uintptr_t)" + memory_ + " % 64) % 64);");
    out.line("if (" + plan_ + "." + bytes_ + " > 0 && (!" + memory_ + " || " + bytes_ + " < " + skip + " || " + bytes_ + " - " +
             skip + " < " + plan_ + "." + bytes_ + ")) " + refuse(1, "the workspace is smaller than its size function says"));
    sizes_fit_ = true;
    for (const Array& a : kernel_.arrays)
        if (a.is_argument() && a.view_of.empty() && !a.by_value()) declare_strides(a, out);
    for (const Memory& m : memories())
        out.line("if (" + helpers_.use("overlap") + "(" + memory_ + ", " + plan_ + "." + bytes_ + " > 0 ? " + bytes_ +
                 " : 0, " + m.pointer + ", " + (m.array->shape.empty() ? m.bytes : bytes_text(*m.array)) + ")) " +
                 refuse(1, "'" + m.array->name.str() + "' and the workspace overlap"));
    sizes_fit_ = false;
    out.line("return " + call_of("_run", helpers_.use("at") + "(" + memory_ + ", " + skip + "), &" + plan_) + ";");
    out.close();
    return out.text();
}

/// Getting and returning memory, from the caller's allocator or the C library.
std::string HostEmitter::allocation_helpers() const {
    const bool ask = has_allocator();
    const std::string parameter = ask ? "const heddle_allocator *allocator, " : "";
    std::string out = "static void *heddle_allocate(" + parameter + "int64_t bytes) {\n";
    if (ask)
        out +=
            "    if (allocator)\n        return allocator->allocate(allocator->user, (size_t)bytes, 64, heddle_space_host, "
            "NULL);\n";
    out += "    return aligned_alloc(64, (size_t)bytes);\n}\n\nstatic void heddle_release(" + parameter +
           "void *memory, int64_t bytes) {\n";
    if (ask) {
        out +=
            "    if (!memory) return;\n    if (allocator)\n        allocator->release(allocator->user, memory, (size_t)bytes, "
            "64, "
            "heddle_space_host, NULL);\n    else\n        free(memory);\n}\n\n";
    } else {
        out += "    (void)bytes;\n    free(memory);\n}\n\n";
    }
    return out + no_memory_function(ask);
}

/// What is said when memory is out; `ask`: the allocator, why.
std::string HostEmitter::no_memory_function(bool ask) const {
    const std::string parameter = ask ? "const heddle_allocator *allocator, " : "";
    std::string out = "static int " + name_ + "_no_memory(" + parameter + "int64_t bytes) {\n";
    const std::string target = name_ + "_message, sizeof " + name_ + "_message, ";
    const std::string text = kernel_.name.str() + ": out of memory: %lld bytes for its temporaries";
    if (ask)
        out +=
            "    const char *why = allocator && allocator->message ? allocator->message(allocator->user) : NULL;\n    "
            "snprintf(" +
            target + quoted_text(text + "%s%.140s") +
            ", (long long)bytes,\n             why ? \"; \" : \"\", why ? why : \"\");\n";
    else
        out += "    snprintf(" + target + quoted_text(text) + ", (long long)bytes);\n";
    return out + "    return 2;\n}\n\n";
}

std::string HostEmitter::memory_functions() {
    return plan_function() + size_function() + check_function() + run_function() + allocation_helpers() +
           own_memory_function() + buffer_function();
}

}  // namespace heddle
