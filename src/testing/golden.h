#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace laggard::report {

/// Compares `actual` with tests/golden/`folder`/`name`. LAGGARD_UPDATE_GOLDEN=1 rewrites the file instead;
/// the test then fails once, so that no unattended run can accept its own output.
inline void expect_golden(const std::string& name, const std::string& actual,
                          const std::string& folder = "report") {
  const std::string path = std::string(LAGGARD_SOURCE_DIR) + "/tests/golden/" + folder + "/" + name;
  const char* update = std::getenv("LAGGARD_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream(path, std::ios::binary) << actual;
    ADD_FAILURE() << "rewrote " << path
                  << "; look at the difference and run again without LAGGARD_UPDATE_GOLDEN";
    return;
  }
  std::ostringstream expected;
  expected << std::ifstream(path, std::ios::binary).rdbuf();
  EXPECT_EQ(expected.str(), actual) << "differs from " << path << "; LAGGARD_UPDATE_GOLDEN=1 rewrites it";
}

}  // namespace laggard::report
