#include "cmd/ranks.h"

#include <chrono>
#include <cstdlib>
#include <limits>
#include <optional>
#include <thread>

#include "base/text.h"

#ifdef LAGGARD_MPI
#include <mpi.h>
#endif

namespace laggard::cmd {

namespace {

/// What Open MPI's mpirun tells those that it starts.
constexpr const char* kRankVariable = "OMPI_COMM_WORLD_RANK";
constexpr const char* kCountVariable = "OMPI_COMM_WORLD_SIZE";

std::optional<std::size_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? std::nullopt : to_number<std::size_t>(text);
}

/// A process by itself: nobody to talk to.
class OneRank final : public Ranks {
 public:
  [[nodiscard]] std::size_t rank() const override { return 0; }
  [[nodiscard]] std::size_t count() const override { return 1; }
  void send(std::size_t /*to*/, std::string_view /*message*/) override { LAGGARD_CHECK(false); }
  [[nodiscard]] std::string receive(std::size_t /*from*/) override {
    LAGGARD_CHECK(false);
    return {};
  }
  void call_off() override {}
  [[nodiscard]] bool called_off() override { return false; }
  void leave() override {}
};

#ifdef LAGGARD_MPI

constexpr int kMessageTag = 1;
constexpr int kCallOffTag = 2;

/// MPI's own waiting turns in a loop; another rank on this machine has better use for the processor.
void wait_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

/// Errors of MPI end all ranks, as is its way: there is nobody left to tell.
class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks() override { finalize(); }

  [[nodiscard]] std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  [[nodiscard]] std::size_t count() const override { return static_cast<std::size_t>(count_); }

  void send(std::size_t to, std::string_view message) override {
    LAGGARD_CHECK(message.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
    MPI_Request request{};
    MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_CHAR, static_cast<int>(to), kMessageTag,
              MPI_COMM_WORLD, &request);
    MPI_Status status{};
    int done = 0;
    while (done == 0) {
      // Not MPI_Test, which gives the request back: there would be nothing left to wait for.
      MPI_Request_get_status(request, &done, &status);
      if (done == 0) wait_a_little();
    }
    MPI_Wait(&request, &status);
  }

  [[nodiscard]] std::string receive(std::size_t from) override {
    const int source = static_cast<int>(from);
    MPI_Status status{};
    while (!is_there(source, kMessageTag, status)) wait_a_little();
    int size = 0;
    MPI_Get_count(&status, MPI_CHAR, &size);
    std::string message(static_cast<std::size_t>(size), '\0');
    MPI_Recv(message.data(), size, MPI_CHAR, source, kMessageTag, MPI_COMM_WORLD, &status);
    return message;
  }

  void call_off() override {
    for (int to = 1; to < count_; ++to) {
      MPI_Send(nullptr, 0, MPI_CHAR, to, kCallOffTag, MPI_COMM_WORLD);
    }
  }

  [[nodiscard]] bool called_off() override {
    MPI_Status status{};
    return is_there(0, kCallOffTag, status);
  }

  void leave() override { finalize(); }

 private:
  static bool is_there(int source, int tag, MPI_Status& status) {
    int there = 0;
    MPI_Iprobe(source, tag, MPI_COMM_WORLD, &there, &status);
    return there != 0;
  }

  void finalize() {
    if (left_) return;
    left_ = true;
    // What was called off and did not look any more.
    MPI_Status status{};
    if (rank_ > 0 && is_there(0, kCallOffTag, status)) {
      MPI_Recv(nullptr, 0, MPI_CHAR, 0, kCallOffTag, MPI_COMM_WORLD, &status);
    }
    MPI_Finalize();
  }

  int rank_ = 0;
  int count_ = 1;
  bool left_ = false;
};

Result<std::unique_ptr<Ranks>> join_mpi() { return std::make_unique<MpiRanks>(); }

#else

Result<std::unique_ptr<Ranks>> join_mpi() {
  return fail(
      ErrorCode::kUnavailable, "mpirun",
      "this laggard was built without MPI; run it without mpirun, or build it with libopenmpi-dev installed");
}

#endif

}  // namespace

bool is_launched() { return number_in(kCountVariable).has_value(); }

std::size_t launched_rank() { return number_in(kRankVariable).value_or(0); }

Result<std::unique_ptr<Ranks>> join_ranks() {
  if (number_in(kCountVariable).value_or(1) <= 1) return std::make_unique<OneRank>();
  return join_mpi();
}

}  // namespace laggard::cmd
