// File descriptors that close themselves.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::runtime {

class Descriptor {
public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    /// False, with errno, when the system reports a failure of an earlier write.
    bool close();

private:
    int fd_;
};

/// Writes everything; false, with errno, when that fails.
bool write_all(int fd, std::string_view bytes);
/// The first `bytes` bytes of a file, fewer when it ends before; none, with errno, when reading fails.
std::optional<std::string> read_all(int fd, std::size_t bytes);
/// A file's bytes; none, with errno, when it cannot be read or is no regular file.
std::optional<std::string> read_file(const std::string& path);

}  // namespace heddle::runtime
