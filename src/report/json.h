#pragma once

#include <string>

#include "model/diagnosis.h"

namespace laggard::report {

/// The diagnosis as `laggard.diagnosis/1` (docs/formats/diagnosis-json.md): indented JSON with a line feed at
/// the end. Same diagnosis, same bytes.
[[nodiscard]] std::string to_json(const Diagnosis& diagnosis);

/// The same on one line with `<`, `>` and `&` escaped, to be put inside a <script> of a page.
[[nodiscard]] std::string to_script_json(const Diagnosis& diagnosis);

/// `{"change":"opened","number":17,"at":"…Z","incident":{…}}` with the incident as a diagnosis has it, and
/// `"into"` at the end of what was merged. One line, without a line feed.
[[nodiscard]] std::string to_json_line(const Change& change);

}  // namespace laggard::report
