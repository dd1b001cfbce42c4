#include "runtime/temporary.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "runtime/descriptor.h"
#include "runtime/status.h"

namespace heddle::runtime {
namespace {

RuntimeError io_error(const std::string& what, const std::string& path) {
    return RuntimeError(Code::Io, what + " " + path + ": " + std::strerror(errno));
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base && *base ? base : "/tmp") + "/heddle-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw io_error("cannot make the temporary folder", path_);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

void write_text(const std::string& path, const std::string& text) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file || !write_all(file.get(), text) || !file.close()) throw io_error("cannot write", path);
}

}  // namespace heddle::runtime
