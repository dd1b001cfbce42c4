// Kernel files: what stands at their top, and the public face of the reader.
#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "ir/error.h"
#include "ir/kernel_data.h"
#include "ir/parse/file.h"

namespace heddle {
namespace {

std::string list_of(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
    return out.empty() ? "none" : out;
}

std::string read_stream(std::istream& in, const std::string& what) {
    std::ostringstream text;
    text << in.rdbuf();
    if (in.bad()) throw Error(ErrorKind::Runtime, "io", fmt::format("cannot read {}: {}", what, std::strerror(errno)));
    return text.str();
}

}  // namespace

const Kernel& Unit::kernel(std::string_view name) const {
    std::vector<std::string> known;
    for (const Kernel& k : kernels) {
        if (!name.empty() && k.data().name.str() == name) return k;
        known.push_back(k.data().name.str());
    }
    if (name.empty() && kernels.size() == 1) return kernels[0];
    if (name.empty())
        throw user_error("name", kernels.empty() ? "the file holds no kernel" : "the file holds several kernels: name one")
            .hint(fmt::format("kernels: {}", list_of(known)));
    throw user_error("name", fmt::format("there is no kernel '{}'", name)).hint(fmt::format("kernels: {}", list_of(known)));
}

const ScheduleText& Unit::schedule(std::string_view name, std::string_view kernel) const {
    const ScheduleText* found = nullptr;
    std::vector<std::string> known;
    for (const ScheduleText& s : schedules) {
        known.push_back(fmt::format("{} for {}", s.name, s.kernel));
        if ((!name.empty() && s.name != name) || (!kernel.empty() && s.kernel != kernel)) continue;
        if (found)
            throw user_error("name", name.empty() ? "several schedules are meant: name one"
                                                  : fmt::format("several schedules are called '{}': name the kernel", name))
                .hint(fmt::format("schedules: {} for {}, {} for {}", found->name, found->kernel, s.name, s.kernel));
        found = &s;
    }
    if (found) return *found;
    std::string what = name.empty() ? "there is no schedule" : fmt::format("there is no schedule '{}'", name);
    if (!kernel.empty()) what += fmt::format(" for kernel '{}'", kernel);
    throw user_error("name", what).hint(fmt::format("schedules: {}", list_of(known)));
}

Unit parse(std::string_view text, std::string_view name) {
    auto source = std::make_shared<Source>();
    source->name = name;
    source->text = text;
    return read_file(std::move(source));
}

Unit parse_file(const std::string& path) {
    if (path == "-") return parse(read_stream(std::cin, "the standard input"), "<stdin>");
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) throw Error(ErrorKind::User, "io", fmt::format("cannot read '{}': {}", path, std::strerror(errno ? errno : EIO)));
    if (in.peek(); in.bad() || (in.fail() && !in.eof()))
        throw Error(ErrorKind::User, "io", fmt::format("cannot read '{}': {}", path, std::strerror(errno ? errno : EISDIR)));
    in.clear();
    return parse(read_stream(in, path), path);
}

}  // namespace heddle
