#include <algorithm>
#include <mutex>
#include <thread>

#include "runtime/compile.h"

namespace heddle::runtime {
namespace {

/// The jobs of one call, handed out in order.
class Jobs {
public:
    Jobs(const std::vector<CompileJob>& jobs, const CompileManyOptions& options)
        : jobs_(jobs), options_(options), results_(jobs.size()) {}

    /// Works until nothing is left to begin.
    void work() {
        while (const auto job = next()) {
            results_[*job] = compiled(jobs_[*job]);
            report(*job);
        }
    }
    std::vector<CompileResult> results() {
        if (stopped_) std::rethrow_exception(stopped_);
        return std::move(results_);
    }

private:
    static CompileResult compiled(const CompileJob& job) {
        try {
            return {compile_c(job.text, job.options), nullptr};
        } catch (...) {
            return {std::nullopt, std::current_exception()};
        }
    }
    std::optional<std::size_t> next() {
        const std::lock_guard lock(mutex_);
        return stopped_ || begun_ == jobs_.size() ? std::nullopt : std::optional(begun_++);
    }
    void report(std::size_t job) {
        const std::lock_guard lock(mutex_);
        ++done_;
        if (stopped_ || !options_.progress) return;
        try {
            options_.progress({done_, jobs_.size(), job, results_[job]});
        } catch (...) {
            stopped_ = std::current_exception();
        }
    }

    const std::vector<CompileJob>& jobs_;
    const CompileManyOptions& options_;
    std::vector<CompileResult> results_;
    std::mutex mutex_;
    std::size_t begun_ = 0, done_ = 0;
    std::exception_ptr stopped_;
};

}  // namespace

const Module& CompileResult::get() const {
    if (error) std::rethrow_exception(error);
    return *module;
}

std::vector<CompileResult> compile_many(const std::vector<CompileJob>& jobs, const CompileManyOptions& options) {
    const std::size_t wanted = options.threads == 0 ? std::thread::hardware_concurrency() : options.threads;
    Jobs work(jobs, options);
    {
        std::vector<std::jthread> helpers;
        for (std::size_t k = 1; k < std::min(wanted, jobs.size()); ++k) helpers.emplace_back([&] { work.work(); });
        work.work();
    }
    return work.results();
}

std::future<Module> compile_c_async(std::string text, CompileOptions options) {
    return std::async(std::launch::async,
                      [text = std::move(text), options = std::move(options)] { return compile_c(text, options); });
}

std::future<std::vector<CompileResult>> compile_many_async(std::vector<CompileJob> jobs, CompileManyOptions options) {
    return std::async(std::launch::async,
                      [jobs = std::move(jobs), options = std::move(options)] { return compile_many(jobs, options); });
}

}  // namespace heddle::runtime
