#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/scale/plan.h"
#include "lab/sim/random.h"

namespace laggard::lab::scale {

/// A stretch of time in which a job reads or writes on every LUN of a pool.
struct JobPhase {
  double from = 0;  ///< Seconds.
  double to = 0;
  double requests_per_s = 0;  ///< On a LUN of weight 1.
  bool write = false;
  /// Blocks of a large file come to each LUN in turn; else small files lie anywhere and are used at any time.
  bool striped = false;
  bool quiet = false;  ///< No job is active: single requests.
};

/// What the jobs of a pool ask for: the file system stripes over all LUNs, so that they share the load (T
/// §5.1.1). Light and bursty, as T §6.2.1 found Intrepid: jobs come and go; they write checkpoints in bursts
/// or read for a while, with next to nothing in between.
class FileSystemLoad {
 public:
  FileSystemLoad(const ScaleSpec& spec, std::size_t pool);

  /// By their begin.
  [[nodiscard]] const std::vector<JobPhase>& phases() const { return phases_; }

 private:
  void add_job(const ScaleSpec& spec, Random& random);

  std::vector<JobPhase> phases_;
};

/// Requests that a server sends to a LUN at the same time.
struct LunRequests {
  SimTime at{};
  std::size_t lun = 0;
  std::uint32_t requests = 1;
  bool write = false;
  bool cached = false;
  std::uint32_t sectors_each = 0;
  SimTime retry{};                       ///< A disk tries the place again for so long.
  std::optional<std::int64_t> position;  ///< Byte of the LUN; without, anywhere.
  /// Through this server's own attachment, else through the one that serves the LUN.
  std::optional<std::size_t> server;
};

/// Draws what an array's LUNs are asked for, interval by interval.
///
/// Blocks of 4 MB (GPFS), as 16 reads or 8 writes at the same time, for striped phases at each LUN once in
/// requests / rate seconds, give or take a quarter of that; else, and when nothing happens, single requests
/// by a Poisson process.
class ArrayLoad {
 public:
  /// `spec` and `loads` (per pool) must outlive this.
  ArrayLoad(const ScaleSpec& spec, const std::vector<FileSystemLoad>& loads, std::size_t array);

  /// What is drawn from now on is for (from, to], in seconds; nothing has been.
  void begin(double from, double to);
  /// What the jobs ask for.
  void draw_jobs();
  /// Single requests at a rate, of the usual sizes.
  void draw(const RequestRate& rate, std::size_t lun);
  /// Small ones of a server.
  void draw(const SmallRequests& small, std::size_t lun, std::optional<std::size_t> server);

  /// In no order.
  [[nodiscard]] const std::vector<LunRequests>& drawn() const { return drawn_; }

 private:
  void draw_phase(const JobPhase& phase, std::size_t index, std::size_t lun);
  void draw_any_time(const LunRequests& one, double accesses_per_s, double from, double to);

  const std::vector<FileSystemLoad>& loads_;
  Random random_;
  double from_ = 0;
  double to_ = 0;
  std::vector<LunRequests> drawn_;
  std::vector<const LunSet*> sets_;       ///< Per LUN.
  std::vector<double> turns_;             ///< Per LUN, when within a period its turn comes: 0 to 1.
  std::vector<std::size_t> first_phase_;  ///< Per pool: those before have ended.
};

}  // namespace laggard::lab::scale
