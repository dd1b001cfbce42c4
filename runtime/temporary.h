// A private temporary folder.
#pragma once

#include <string>

namespace heddle::runtime {

/// Makes a folder that only this user can enter, in $TMPDIR or /tmp, and removes it with everything in it when it goes out of
/// scope. Throws RuntimeError(Io) when it cannot be made.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// Writes a file; throws RuntimeError(Io) with the system's reason when the disk is full or the place is not writable.
void write_text(const std::string& path, const std::string& text);

}  // namespace heddle::runtime
