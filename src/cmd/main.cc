#include "cmd/program.h"

int main(int argc, char** argv) { return laggard::cmd::run(argc, argv); }
