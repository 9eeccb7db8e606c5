#include "cmd/commands.h"
#include "cmd/program.h"

int main(int argc, char** argv) {
  return laggard::cmd::run_program(laggard::cmd::laggard_program(), argc, argv);
}
