#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace laggard::testing_support {

/// Writes a program into a folder that speaks as `journalctl --follow --output=export` does, of a journal
/// that is the file `journal` beside it: a line is a message, its number the cursor and the seconds of its
/// time. It notes its command lines in `started`, and ends with status 3 while there is a file `end`.
inline std::string write_fake_journalctl(const std::filesystem::path& folder) {
  const std::filesystem::path program = folder / "journalctl";
  std::ofstream(program) << R"sh(#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo "$@" >>started
n=0
for word; do case $word in --after-cursor=*) n=${word#*=} ;; esac; done
while [ ! -e end ]; do
  total=$(wc -l <journal)
  if [ "$total" -gt "$n" ]; then
    awk -v n="$n" -v total="$total" 'NR > n && NR <= total {
      printf "__CURSOR=%d\n__REALTIME_TIMESTAMP=%d000000\n_HOSTNAME=fs1\nPRIORITY=4\n", NR, 1795202000 + NR
      printf "SYSLOG_IDENTIFIER=app\n_PID=7\nMESSAGE=%s\n\n", $0 }' journal
    n=$total
  fi
  sleep 0.01
done
exit 3
)sh";
  std::ofstream(folder / "journal", std::ios::app).flush();
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  return program;
}

}  // namespace laggard::testing_support
