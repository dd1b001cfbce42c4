// Many processes on one cache folder while some are killed and files are damaged: every value has to be right and everything
// has to end. `cache_stress PROCESSES ROUNDS FOLDER`; the folder is used as it is and left behind.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "runtime/cache.h"
#include "runtime/cache/folder.h"
#include "runtime/compile.h"

using namespace heddle::runtime;
namespace fs = std::filesystem;

namespace {

constexpr int kernels = 12;
constexpr std::uint64_t limit = 150'000;  // some eight entries: eviction is at work too
constexpr int time_limit_s = 900;

using Random = std::mt19937;
std::size_t below(Random& random, std::size_t n) { return random() % n; }

/// The sum of a table of 200 numbers: most of its bytes matter.
std::string text_of(int kernel) {
    std::string out = "static const int table[200] = {";
    for (int k = 0; k < 200; ++k) out += std::to_string(kernel * 1000 + k) + ",";
    return out + "};\nint f(void) { int s = 0; for (int k = 0; k < 200; k++) s += table[k]; return s; }\n";
}
int expected(int kernel) { return kernel * 200000 + 199 * 100; }

/// What one process does: compiles and calls, each time with a cache that knows nothing in memory. Its status: 0, or 2 for a
/// wrong value and 3 for an error.
int child(const std::string& folder, int rounds, unsigned seed) {
    Random random(seed);
    std::uint64_t hits = 0;
    for (int round = 0; round < rounds; ++round) {
        CacheOptions options;
        options.folder = folder;
        options.limit = limit;
        Cache cache(options);
        CompileOptions how;
        how.flags = {"-O0"};
        how.cache = &cache;
        const int kernel = static_cast<int>(below(random, kernels));
        try {
            const Module module = compile_c(text_of(kernel), how);
            if (reinterpret_cast<int (*)()>(module.symbol("f"))() != expected(kernel)) return 2;
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s\n", e.what());
            return 3;
        }
        hits += cache.statistics().disk_hits;
    }
    std::printf("%llu of %d from disk\n", static_cast<unsigned long long>(hits), rounds);
    std::fflush(stdout);
    return 0;
}

/// Damages an entry, a temporary file or the stamp in place: cuts it, flips a bit, or removes it.
void damage(const std::string& folder, Random& random) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (auto it = fs::recursive_directory_iterator(folder, ignored); !ignored && it != fs::recursive_directory_iterator();
         it.increment(ignored))
        if (it->is_regular_file(ignored)) files.push_back(it->path());
    if (files.empty()) return;
    const fs::path file = files[below(random, files.size())];
    const auto size = fs::file_size(file, ignored);
    if (ignored || size == 0) return;
    const std::size_t kind = below(random, 8);
    if (kind == 0) fs::remove(file, ignored);
    if (kind <= 2) return fs::resize_file(file, below(random, size), ignored);
    const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    const auto at = static_cast<off_t>(below(random, size));
    unsigned char byte = 0;
    if (::pread(fd, &byte, 1, at) == 1) {
        byte ^= static_cast<unsigned char>(1u << below(random, 8));
        if (::pwrite(fd, &byte, 1, at) != 1) std::perror("pwrite");
    }
    ::close(fd);
}

/// The processes: each that is killed is begun again, with another seed.
class Crowd {
public:
    Crowd(std::string folder, int processes, int rounds)
        : folder_(std::move(folder)), rounds_(rounds), kills_left_(processes * 2) {
        for (int k = 0; k < processes; ++k) begin();
    }
    bool over() const { return running_.empty(); }
    int wrong() const { return wrong_; }
    int kills() const { return kills_; }

    void kill_one(Random& random) {
        if (kills_left_ == 0 || running_.empty()) return;
        auto victim = running_.begin();
        std::advance(victim, static_cast<std::ptrdiff_t>(below(random, running_.size())));
        ::kill(*victim, SIGKILL);
        --kills_left_;
    }
    void kill_all() {
        for (const pid_t pid : running_) ::kill(pid, SIGKILL);
    }
    /// Takes note of what has ended.
    void collect() {
        int status = 0;
        for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
            std::erase(running_, pid);
            if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
                ++kills_;
                begin();
            } else if (status != 0) {
                std::fprintf(stderr, "a process ended with status %x\n", status);
                ++wrong_;
            }
        }
    }

private:
    void begin() {
        const unsigned seed = ++begun_;
        const pid_t pid = ::fork();
        if (pid == 0) std::_Exit(child(folder_, rounds_, seed));
        if (pid > 0) running_.push_back(pid);
    }

    std::string folder_;
    int rounds_, kills_left_, kills_ = 0, wrong_ = 0;
    unsigned begun_ = 0;
    std::vector<pid_t> running_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return std::fprintf(stderr, "usage: cache_stress PROCESSES ROUNDS FOLDER\n"), 1;
    const std::string folder = argv[3];
    Random random(1);
    Crowd crowd(folder, std::atoi(argv[1]), std::atoi(argv[2]));
    int damages = 0;
    for (int tick = 0; !crowd.over(); ++tick) {
        ::usleep(10'000);
        if (tick % 8 == 7) damage(folder, random), ++damages;
        if (tick % 20 == 19) crowd.kill_one(random);
        crowd.collect();
        if (tick > time_limit_s * 100) return crowd.kill_all(), std::fprintf(stderr, "no end\n"), 1;
    }
    std::size_t sound = 0, damaged = 0;
    for (const StoredEntry& e : CacheFolder(folder, limit).entries()) ++(e.damage.empty() ? sound : damaged);
    std::printf("%d wrong, %d killed, %d damages, %zu sound and %zu damaged entries at the end\n", crowd.wrong(), crowd.kills(),
                damages, sound, damaged);
    return crowd.wrong() == 0 ? 0 : 1;
}
