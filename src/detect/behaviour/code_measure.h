#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "detect/behaviour/code_distance.h"

namespace laggard::detect {

/// How what servers do is compared: the distance, and what functions weigh in it (B §6, "Future Work": by
/// their spread, and by weights that a user gives).
struct CodeMeasure {
  /// What the functions weigh whose names match.
  struct Rule {
    /// Of `PROGRAM;BINARY;FUNCTION`, or of the function alone; of a program where programs are compared.
    /// `*` and `?` stand for what they do in a shell, and brackets for themselves.
    std::string pattern;
    double weight = 1;
  };

  CodeDistance distance = CodeDistance::kManhattan;
  bool by_spread = false;  ///< FunctionSpread, besides.
  std::vector<Rule> rules = {};

  /// By the first rule that matches; 1 where none does. \param word  of FunctionName, or a program
  [[nodiscard]] double weight_of(std::string_view word) const;
  /// `manhattan`, `manhattan by spread,tcp_*=2`: thresholds are of one measure.
  [[nodiscard]] std::string name() const;
};

/// Of such a name; nothing when it is none.
[[nodiscard]] std::optional<CodeMeasure> code_measure(std::string_view name);

/// Weights as a user writes them: a line `PATTERN WEIGHT` for each rule, or `spread`; behind `#` stands what
/// nobody reads. \param where  the file, for errors \return kBadInput for a line that is neither
[[nodiscard]] Result<CodeMeasure> read_weights(CodeDistance distance, std::string_view text,
                                               std::string_view where);

}  // namespace laggard::detect
