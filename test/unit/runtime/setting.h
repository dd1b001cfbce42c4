// The environment and programs of runtime tests.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "runtime/temporary.h"

/// Sets an environment variable for the length of a test.
class Setting {
public:
    Setting(const char* name, const std::string& value) : name_(name) {
        if (const char* old = ::getenv(name)) old_ = old, had_ = true;
        ::setenv(name, value.c_str(), 1);
    }
    ~Setting() { had_ ? ::setenv(name_, old_.c_str(), 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::string old_;
    bool had_ = false;
};

/// Writes a shell script that stands for a compiler; gives its path.
inline std::string script(const heddle::runtime::TemporaryFolder& folder, const std::string& body,
                          const std::string& name = "fake-cc") {
    const std::string path = folder.path() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    ::chmod(path.c_str(), 0700);
    return path;
}
