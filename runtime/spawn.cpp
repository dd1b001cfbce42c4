#include "runtime/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "runtime/status.h"

extern char** environ;

namespace heddle::runtime {
namespace {

constexpr std::size_t most_text = 32 * 1024;

bool executable(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

/// The reading end of a pipe whose writing end becomes a child's output.
struct Pipe {
    int read_end = -1, write_end = -1;
    Pipe() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw RuntimeError(Code::Io, std::string("no pipe: ") + std::strerror(errno));
        read_end = ends[0], write_end = ends[1];
    }
    ~Pipe() {
        ::close(read_end);
        close_write();
    }
    void close_write() {
        if (write_end >= 0) ::close(write_end);
        write_end = -1;
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
};

/// Starts the program in a process group of its own, so that a time limit reaches its children too.
pid_t start(const std::vector<std::string>& words, Pipe& pipe) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe.write_end, 1);
    posix_spawn_file_actions_adddup2(&actions, pipe.write_end, 2);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    std::vector<char*> argv;
    for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    pid_t pid = 0;
    const int failure = ::posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failure != 0) throw RuntimeError(Code::Io, "cannot start " + words[0] + ": " + std::strerror(failure));
    return pid;
}

/// Reads what the child writes until it closes its output; false when the time is over first.
bool drain(int fd, std::chrono::steady_clock::time_point end, std::string& text) {
    char block[4096];
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
        if (left <= 0) return false;
        pollfd waiting{fd, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(left));
        if (ready == 0) return false;
        if (ready < 0 && errno == EINTR) continue;
        const ssize_t got = ::read(fd, block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        if (text.size() < most_text) text.append(block, static_cast<std::size_t>(got));
    }
}

int wait_for(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return executable(name) ? name : std::string();
    const char* path = std::getenv("PATH");
    std::string rest = path ? path : "/usr/bin:/bin";
    for (std::size_t at = 0; at <= rest.size();) {
        const std::size_t colon = std::min(rest.find(':', at), rest.size());
        const std::string candidate = rest.substr(at, colon - at) + "/" + name;
        if (!name.empty() && colon > at && executable(candidate)) return candidate;
        at = colon + 1;
    }
    return {};
}

Outcome run_program(const std::vector<std::string>& words, int time_limit_s) {
    Pipe pipe;
    const pid_t pid = start(words, pipe);
    pipe.close_write();
    Outcome out;
    out.timed_out = !drain(pipe.read_end, std::chrono::steady_clock::now() + std::chrono::seconds(time_limit_s), out.errors);
    if (out.timed_out) ::kill(-pid, SIGKILL);
    out.status = wait_for(pid);
    return out;
}

}  // namespace heddle::runtime
