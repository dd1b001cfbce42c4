#define CATCH_CONFIG_MAIN
#include <stdlib.h>

#include <catch2/catch.hpp>

namespace {

/// No test sees what an earlier run left, nor touches the user's cache: those that want one name a folder of their own.
[[maybe_unused]] const int no_cache = ::setenv("HEDDLE_CACHE", "off", 1);

}  // namespace
