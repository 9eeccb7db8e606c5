#pragma once

#include <memory>

#include "cmd/profile_forms.h"

namespace laggard::cmd {

/// Profiles as https://github.com/google/pprof reads them: profile.proto, packed by gzip. All periods are
/// added up; of each sample the label `host` tells whose it is (pprof -tagfocus). Programs are the outermost
/// functions. Values are the counts and, where all periods say what one count stands for, CPU time in ns.
[[nodiscard]] std::unique_ptr<ProfileWriter> make_pprof_writer(LineWriter& out);

}  // namespace laggard::cmd
