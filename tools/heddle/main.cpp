#include "tools/heddle/cli.h"

int main(int argc, char** argv) { return heddle::tools::run_cli(argc, argv); }
