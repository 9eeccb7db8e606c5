#include "lab/cmd/score_output.h"

#include "base/file.h"
#include "cmd/output_check.h"
#include "cmd/standard_streams.h"

namespace laggard::lab {

void add_score_output(CLI::App& command, ScoreOutput& output) {
  command.add_option("--json", output.json, "The results as JSON; - prints them instead of the tables")
      ->type_name("FILE|-");
  command.add_option("--html", output.html, "The tables as one page")->type_name("FILE");
  command.add_option("--markdown", output.markdown, "The tables as Markdown")->type_name("FILE");
}

Status check(const ScoreOutput& output, std::span<const std::filesystem::path> inputs) {
  const cmd::NamedOutput outputs[] = {
      {"--json", output.json}, {"--html", output.html}, {"--markdown", output.markdown}};
  return cmd::check_outputs(outputs, inputs);
}

Status put_out(const ScoreOutput& output, const std::vector<ClusterResults>& results, bool sweep) {
  const std::string tables = sweep ? to_sweep_markdown(results) : to_markdown(results);
  Status printed = cmd::print(output.json == "-" ? to_score_json(results) : tables);
  if (!output.json.empty() && output.json != "-") {
    if (Status written = write_file(output.json, to_score_json(results)); !written) return written;
  }
  if (!output.html.empty()) {
    if (Status written = write_file(output.html, to_score_html(results)); !written) return written;
  }
  if (!output.markdown.empty()) {
    if (Status written = write_file(output.markdown, tables); !written) return written;
  }
  return printed;
}

}  // namespace laggard::lab
