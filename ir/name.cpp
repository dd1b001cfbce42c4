#include "ir/name.h"

#include <mutex>
#include <unordered_set>

namespace heddle {
namespace {

struct Pool {
    std::mutex lock;
    std::unordered_set<std::string> texts;
};

Pool& pool() {
    static Pool* const p = new Pool;  // never freed: names may be used by other static objects to the last
    return *p;
}

}  // namespace

Name::Name(std::string_view text) {
    if (text.empty()) return;
    Pool& p = pool();
    const std::lock_guard guard(p.lock);
    text_ = &*p.texts.emplace(text).first;
}

const std::string& Name::empty_text() {
    static const std::string* const empty = new std::string;
    return *empty;
}

}  // namespace heddle
