#include "tools/heddle/failure.h"

#include <new>
#include <nlohmann/json.hpp>

#include "ir/error.h"
#include "runtime/status.h"

namespace heddle::tools {
namespace {

using Json = nlohmann::ordered_json;

Error from_runtime(const runtime::RuntimeError& e) {
    const auto code = e.code();
    const bool users = code == runtime::Code::BadArgument;
    const char* word = code == runtime::Code::OutOfMemory       ? "memory"
                       : code == runtime::Code::CompilerMissing ? "compiler"
                       : code == runtime::Code::CompileFailed   ? "compile"
                       : code == runtime::Code::LoadFailed      ? "load"
                       : code == runtime::Code::Io              ? "file"
                       : code == runtime::Code::Check           ? "bounds"
                       : code == runtime::Code::NoDevice        ? "device"
                       : code == runtime::Code::DeviceFailed    ? "device"
                                                                : "argument";
    Error error(users ? ErrorKind::User : ErrorKind::Runtime, word, e.what());
    if (code == runtime::Code::LoadFailed) error.hint("--cflag=FILE.o and --cflag=-lNAME link what a kernel calls");
    return error;
}

/// Any failure as our own error type.
Error as_error(std::exception_ptr failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const Error& e) {
        return e;
    } catch (const runtime::RuntimeError& e) {
        return from_runtime(e);
    } catch (const std::bad_alloc&) {
        return Error(ErrorKind::Runtime, "memory", "out of memory");
    } catch (const std::exception& e) {
        return Error(ErrorKind::Internal, "internal", e.what());
    }
}

int status_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::User:
            return 1;
        case ErrorKind::Usage:
            return 2;
        case ErrorKind::Runtime:
            return 3;
        case ErrorKind::Internal:
            break;
    }
    return 4;
}

Json place(const Loc& loc) {
    if (!loc) return nullptr;
    return Json{{"file", loc.source->name}, {"line", loc.line}, {"column", loc.column}};
}

std::string as_json(const Error& e) {
    Json notes = Json::array();
    for (const Note& n : e.notes()) notes.push_back({{"text", n.text}, {"place", place(n.loc)}});
    Json out{{"code", e.code()}, {"status", status_of(e.kind())}, {"message", e.message()}, {"place", place(e.loc())}};
    out["notes"] = std::move(notes);
    if (!e.hint_text().empty()) out["hint"] = e.hint_text();
    return Json{{"error", std::move(out)}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

void report_failure(std::exception_ptr failure, bool json, Report& report) {
    const Error e = as_error(std::move(failure));
    report.err += e.render();
    report.out = json ? as_json(e) : std::string();
    report.status = status_of(e.kind());
}

}  // namespace heddle::tools
