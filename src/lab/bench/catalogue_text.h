#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "lab/bench/fault.h"
#include "lab/bench/machine.h"

namespace laggard::lab::bench {

/// What a fault needs that not every machine has: a word of FaultRow::needs, the file that is there when the
/// kernel can do it, and what it is.
struct Need {
  std::string_view word;
  std::string_view file;
  std::string_view what;
};

/// The need of that name; null for an empty word.
[[nodiscard]] const Need* need_of(std::string_view word);

/// An error when the machine lacks something for one of the faults.
[[nodiscard]] Status check_needs(Machine& machine, const std::vector<FaultPlace>& faults);

/// The catalogue of faults for people: a line each with its strengths, then what they need and what this
/// machine lacks.
[[nodiscard]] std::string catalogue_table();

/// The same for programs: {"schema":"laggard.faults/1","faults":[{"name":…,"strengths":{"mild":{…},…},…}]}.
[[nodiscard]] std::string catalogue_json();

}  // namespace laggard::lab::bench
