#include "cmd/lab/score_output.h"

#include <cstdio>

#include "base/file.h"

namespace laggard::cmd {

void add_score_output(CLI::App& command, ScoreOutput& output) {
  command.add_option("--json", output.json, "The results as JSON; - prints them instead of the tables")
      ->type_name("FILE|-");
  command.add_option("--html", output.html, "The tables as one page")->type_name("FILE");
  command.add_option("--markdown", output.markdown, "The tables as Markdown")->type_name("FILE");
}

Status put_out(const ScoreOutput& output, const std::vector<ClusterResults>& results, bool sweep) {
  const std::string tables = sweep ? to_sweep_markdown(results) : to_markdown(results);
  if (output.json == "-") {
    std::fputs(to_score_json(results).c_str(), stdout);
  } else {
    std::fputs(tables.c_str(), stdout);
  }
  if (!output.json.empty() && output.json != "-") {
    if (Status written = write_file(output.json, to_score_json(results)); !written) return written;
  }
  if (!output.html.empty()) {
    if (Status written = write_file(output.html, to_score_html(results)); !written) return written;
  }
  if (!output.markdown.empty()) return write_file(output.markdown, tables);
  return {};
}

}  // namespace laggard::cmd
