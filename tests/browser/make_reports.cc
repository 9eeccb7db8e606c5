// Writes the pages that the browser test opens into the folder named on the command line.
#include <fmt/format.h>

#include <fstream>
#include <string>

#include "report/examples.h"
#include "report/html.h"

namespace {

bool write(const std::string& folder, const std::string& name, const std::string& page) {
  std::ofstream file(folder + "/" + name, std::ios::binary);
  file << page;
  return file.good();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace laggard::report;
  if (argc != 2) {
    fmt::print(stderr, "usage: make_reports FOLDER\n");
    return 2;
  }
  const std::string folder = argv[1];
  TrainingDay day;
  day.from = examples::at(0);
  day.to = examples::at(240);
  day.preset = "lab";
  day.distance = "cdf";
  day.plots = examples::training_day();
  day.notes = {"group 'metadata' was left out: it has 2 members"};
  const bool done =
      write(folder, "busy_disk.html", to_html(examples::busy_disk(), examples::plots_of_busy_disk())) &&
      write(folder, "hostile.html", to_html(examples::hostile(), examples::plots_of_hostile())) &&
      write(folder, "bad_week.html", to_html(examples::bad_week(), {})) &&
      write(folder, "rogue_program.html", to_html(examples::rogue_program(), {})) &&
      write(folder, "all_well.html", to_html(examples::all_well(), {})) &&
      write(folder, "big_system.html",
            to_html(examples::big_system(768), examples::plots_of_big_system(768, 5760, 191))) &&
      write(folder, "training.html", training_html(day));
  return done ? 0 : 1;
}
