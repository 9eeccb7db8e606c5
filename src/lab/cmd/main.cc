#include "cmd/program.h"
#include "lab/cmd/commands.h"

int main(int argc, char** argv) { return laggard::cmd::run_program(laggard::lab::lab_program(), argc, argv); }
