// Reading inputs, and writing outputs so that nothing partial is ever seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tools {

/// A file's bytes; "-" is the standard input. Errors (User, "file") name the file and the system's reason.
std::string read_file(const std::string& path);

/// Files that appear together: each is written under a temporary name beside its place, and all are renamed by `commit`.
/// Without commit nothing stays, folders made for them included. Devices and pipes are written at once; "-" is the standard
/// output, written at commit. Errors (Runtime, "file") name the file and the system's reason, a full disk included.
class Outputs {
public:
    Outputs() = default;
    ~Outputs();
    Outputs(const Outputs&) = delete;
    Outputs& operator=(const Outputs&) = delete;

    /// Makes the folder, and those above it, when they are missing.
    void folder(const std::string& path);
    void add(const std::string& path, std::string_view bytes);
    void commit();

private:
    struct Staged {
        std::string temporary, path;
    };
    std::vector<Staged> staged_;
    std::vector<std::string> folders_;
    std::string standard_output_;
};

/// Writes all of it to a descriptor; throws like Outputs.
void write_all(int fd, std::string_view bytes, const std::string& name);

}  // namespace heddle::tools
