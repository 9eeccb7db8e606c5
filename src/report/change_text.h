#pragma once

#include <string>

#include "model/change.h"

namespace laggard::report {

/// A change for a person who watches a terminal, without a line feed and without anything that a terminal
/// obeys: `2026-11-20T19:21:30Z opened    #17 s3: disk-hog (storage), suspected; s3/loop23 (id 7f3a)`.
[[nodiscard]] std::string change_line(const Change& change);

}  // namespace laggard::report
