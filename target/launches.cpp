// The host part of a device program: launches through a `heddle_device`.
#include "target/host.h"
#include "target/workspace.h"

namespace heddle {

std::string HostEmitter::device_parameters() const { return "const heddle_device *" + device_ + ", void *" + stream_; }

/// One launch: its arguments, its grid, and what became of it.
void HostEmitter::launch(DeviceEmitter& writer, const Code& code, Lines& out) {
    const Launch& of = program_.launches[code.statement];
    const DeviceText& function = functions_[code.statement];
    std::array<std::string, 3> blocks{"1", "1", "1"};
    for (const Launch::Blocks& b : of.blocks) {
        const Affine count = Affine::floor_div(b.last - b.start, b.step) + Affine(1);
        const std::string text = writer.affine(count);
        blocks[static_cast<std::size_t>(b.axis)] =
            writer.proves_nonnegative(count) ? text : helpers_.use("larger") + "(" + text + ", 0)";
    }
    std::string arguments;
    for (const DeviceParameter& p : function.parameters) {
        const Array* a = kernel_.find_array(p.name);
        arguments += (arguments.empty() ? "{&" : ", {&") + names_(p.name) + ", sizeof " + names_(p.name) +
                     (a && !a->by_value() ? ", 1}" : ", 0}");
        writer.note(p.name);
    }
    const std::string list = names_.fresh("arguments"), launch = names_.fresh("launch");
    out.open("{");
    if (!arguments.empty()) out.line("const heddle_argument " + list + "[] = {" + arguments + "};");
    out.line("const heddle_launch " + launch + " = {\"" + function.name + "\", {" + blocks[0] + ", " + blocks[1] + ", " +
             blocks[2] + "}, {" + std::to_string(of.lanes[0]) + ", " + std::to_string(of.lanes[1]) + ", " +
             std::to_string(of.lanes[2]) + "}, 0, " + std::to_string(function.parameters.size()) + ", " +
             (arguments.empty() ? "NULL" : list) + "};");
    out.line("const int " + status_ + " = " + device_ + "->launch(" + device_ + "->user, &" + launch + ", " + stream_ + ");");
    out.line("if (" + status_ + ") return " + name_ + "_failed(" + device_ + ", " + status_ + ");");
    out.close();
}

/// The host's loops, with all launches.
std::string HostEmitter::launches_function() {
    DeviceEmitter writer(program_, program_.code, names_, helpers_);
    writer.on_launch = [&](DeviceEmitter& w, const Code& c, Lines& out) { launch(w, c, out); };
    const std::string body = writer.run();
    std::vector<std::string> extra;
    if (needs_memory()) extra = {"void *" + memory_, "const struct " + name_ + "_plan *" + plan_};
    extra.push_back(device_parameters());
    Lines out;
    out.open("static " + prototype("_run", extra) + " {");
    for (Name name : kernel_.argument_order)
        if (!writer.mentions(name))
            for (const std::string& pointer : pointers_of(name)) out.line("(void)" + pointer + ";");
    for (const Slot& slot : program_.memory)
        if (writer.mentions(slot.name))
            out.line("void *const " + names_(slot.name) + " = " + helpers_.use("at") + "(" + memory_ + ", " + plan_ + "->" +
                     names_(slot.name) + ");");
    std::string text = out.text() + body.substr(2, body.rfind('}') - 2);
    return text + "    return 0;\n}\n\n";
}

/// The face: checks, memory of the device for temporaries, launches, and the memory given back whatever happened.
std::string HostEmitter::on_device_function() {
    Lines out;
    out.open(prototype({}, {device_parameters()}) + " {");
    out.line("int " + status_ + " = " + call_of("_check") + ";");
    out.line("if (" + status_ + ") return " + status_ + ";");
    out.line("if (!" + device_ + " || " + device_ + "->size < sizeof *" + device_ + ") " +
             refuse(1, "there is no device, or it is of an older version"));
    std::string extra = device_ + ", " + stream_;
    if (needs_memory()) {
        const std::string bytes = plan_ + "." + bytes_, from = device_ + "->memory";
        const std::string alignment = std::to_string(device_alignment);
        out.line("const struct " + name_ + "_plan " + plan_ + " = " + plan_call() + ";");
        out.line("if (" + bytes + " == INT64_MAX) " +
                 refuse(2, "out of memory: the size of its temporaries does not fit 64 bits"));
        out.line("void *" + memory_ + " = NULL;");
        out.open("if (" + bytes + " > 0) {");
        out.line(memory_ + " = " + from + "->allocate(" + from + "->user, (size_t)" + bytes + ", " + alignment +
                 ", heddle_space_device, " + stream_ + ");");
        out.line("if (!" + memory_ + ") return " + name_ + "_no_memory(" + from + ", " + bytes + ");");
        out.close();
        out.line(status_ + " = " + call_of("_run", memory_ + ", &" + plan_ + ", " + extra) + ";");
        out.line("if (" + memory_ + ") " + from + "->release(" + from + "->user, " + memory_ + ", (size_t)" + bytes + ", " +
                 alignment + ", heddle_space_device, " + stream_ + ");");
        out.line("return " + status_ + ";");
    } else {
        out.line("return " + call_of("_run", extra) + ";");
    }
    out.close();
    return out.text();
}

std::string HostEmitter::device_helpers() const {
    const std::string target = "    snprintf(" + name_ + "_message, sizeof " + name_ + "_message, ";
    std::string out = "static int " + name_ + "_failed(const heddle_device *device, int status) {\n" +
                      "    const char *why = device->error ? device->error(device->user) : NULL;\n" + target +
                      quoted_text(kernel_.name.str() + ": %.200s") +
                      ", why ? why : \"the device failed\");\n    return status;\n}\n\n";
    if (needs_memory()) out += no_memory_function(true);
    return out;
}

std::string HostEmitter::device_functions() {
    std::string out = needs_memory() ? plan_function() + size_function() : std::string();
    out += check_function();
    return out + device_helpers() + launches_function() + on_device_function();
}

}  // namespace heddle
