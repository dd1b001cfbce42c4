// Random steps held against brute force: is every step that is refused really illegal, and every step that is accepted legal?
#pragma once

namespace heddle::random_test {

struct RefusalOptions {
    unsigned seed = 1;
    int count = 100, steps = 4;
};
/// Applies steps that are refused because of the kernel's meaning without that question, and looks whether they change anything
/// at any size. Prints a tally, and every legal step that was refused and illegal one that was accepted; tells how many.
int check_refusals(const RefusalOptions& options);

}  // namespace heddle::random_test
