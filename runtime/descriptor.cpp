#include "runtime/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace heddle::runtime {

bool Descriptor::close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

std::optional<std::string> read_all(int fd, std::size_t bytes) {
    std::string out(bytes, '\0');
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t got = ::read(fd, out.data() + done, bytes - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return std::nullopt;
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    out.resize(done);
    return out;
}

std::optional<std::string> read_file(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat about {};
    if (!file || ::fstat(file.get(), &about) != 0) return std::nullopt;
    if (!S_ISREG(about.st_mode)) {
        errno = EINVAL;
        return std::nullopt;
    }
    return read_all(file.get(), static_cast<std::size_t>(about.st_size));
}

}  // namespace heddle::runtime
