#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/cmd/commands.h"
#include "testing/cli.h"

namespace laggard::lab {

using cmd::testing_support::Folder;
using cmd::testing_support::laggard;
using cmd::testing_support::read_text;
using cmd::testing_support::Said;

/// Runs `laggard-lab WORDS` in this process.
inline Said laggard_lab(std::vector<std::string> words) {
  return cmd::testing_support::run_here(lab_program(), std::move(words));
}

}  // namespace laggard::lab
