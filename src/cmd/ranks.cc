#include "cmd/ranks.h"

#include <cstdlib>
#include <optional>

#include "base/text.h"
#include "cmd/mpi_ranks.h"

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

}  // namespace

bool is_launched() { return number_in(kCountVariable).has_value(); }

std::size_t launched_rank() { return number_in(kRankVariable).value_or(0); }

Result<std::unique_ptr<Ranks>> join_ranks() {
  if (number_in(kCountVariable).value_or(1) <= 1) return std::make_unique<OneRank>();
  return join_mpi();
}

}  // namespace laggard::cmd
