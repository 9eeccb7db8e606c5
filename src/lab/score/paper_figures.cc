#include "lab/score/paper_figures.h"

#include <algorithm>

#include "base/error.h"

namespace laggard::lab {

namespace {

constexpr std::array<PaperTable, 4> kTables{{
    {2,
     FileSystem::kPvfs,
     10,
     10,
     {{{"none", 0, 0, 0, 0},
       {"disk-hog", 100, 0, 100, 0},
       {"disk-busy", 90, 2, 90, 2},
       {"write-network-hog", 92, 0, 84, 8},
       {"read-network-hog", 100, 0, 100, 0},
       {"receive-pktloss", 42, 0, 42, 0},
       {"send-pktloss", 40, 0, 40, 0},
       {"aggregate", 77.3, 0.3, 76.0, 1.4}}},
     96.3,
     94.6},
    {3,
     FileSystem::kPvfs,
     6,
     12,
     {{{"none", 0, 2, 0, 2},
       {"disk-hog", 100, 0, 100, 0},
       {"disk-busy", 100, 0, 100, 0},
       {"write-network-hog", 42, 2, 0, 44},
       {"read-network-hog", 0, 2, 0, 2},
       {"receive-pktloss", 54, 6, 54, 6},
       {"send-pktloss", 40, 2, 40, 2},
       {"aggregate", 56.0, 2.0, 49.0, 8.0}}},
     67.2,
     58.8},
    {4,
     FileSystem::kLustre,
     10,
     10,
     {{{"none", 0, 0, 0, 0},
       {"disk-hog", 82, 0, 82, 0},
       {"disk-busy", 88, 2, 68, 22},
       {"write-network-hog", 98, 2, 96, 4},
       {"read-network-hog", 98, 2, 94, 6},
       {"receive-pktloss", 38, 4, 36, 6},
       {"send-pktloss", 40, 0, 38, 2},
       {"aggregate", 74.0, 1.4, 69.0, 5.7}}},
     92.5,
     86.3},
    {5,
     FileSystem::kLustre,
     6,
     12,
     {{{"none", 0, 6, 0, 6},
       {"disk-hog", 100, 0, 100, 0},
       {"disk-busy", 76, 8, 38, 46},
       {"write-network-hog", 86, 14, 86, 14},
       {"read-network-hog", 92, 8, 92, 8},
       {"receive-pktloss", 40, 2, 40, 2},
       {"send-pktloss", 38, 8, 38, 8},
       {"aggregate", 72.0, 6.6, 65.7, 12.0}}},
     90.0,
     82.1},
}};

}  // namespace

const PaperRow& PaperTable::row(std::string_view fault) const {
  const auto* const found =
      std::find_if(rows.begin(), rows.end(), [&](const PaperRow& row) { return row.fault == fault; });
  LAGGARD_CHECK(found != rows.end());
  return *found;
}

std::span<const PaperTable> paper_tables() { return kTables; }

const PaperTable* paper_table(std::string_view file_system, std::size_t clients, std::size_t servers) {
  for (const PaperTable& table : kTables) {
    if (to_name(table.file_system) == file_system && table.clients == clients && table.servers == servers) {
      return &table;
    }
  }
  return nullptr;
}

bool observable(std::string_view fault, std::string_view workload) {
  if (fault == "none") return false;
  if (fault == "receive-pktloss") return workload == "ddw" || workload == "iozonew";
  if (fault == "send-pktloss") return workload == "ddr" || workload == "iozoner";
  return true;
}

}  // namespace laggard::lab
