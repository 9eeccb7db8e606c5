#include "cmd/profile_forms.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "base/time.h"
#include "model/code_profile.h"

namespace laggard::cmd {

namespace {

class CsvWriter final : public ProfileWriter {
 public:
  explicit CsvWriter(LineWriter& out) : out_(out) {}

  [[nodiscard]] Status add(const ProfileTable& table, std::span<const std::uint32_t> periods) override {
    if (Status begun = begin(); !begun) return begun;
    for (const std::uint32_t p : periods) {
      const ProfileTable::Period& period = table.periods()[p];
      const std::string_view subject =
          period.subject == kNoWord ? std::string_view() : table.words().text(period.subject);
      const std::string head = fmt::format(
          "{},{},{},{},{},{}", unix_time(period.start), csv_field(table.host()), csv_field(table.kind()),
          csv_field(std::string(subject)), unix_time(WallTime{period.length}),
          period.each == Duration::zero() ? "" : unix_time(WallTime{period.each}));
      for (std::size_t i = 0; i < table.seen(p).size(); ++i) {
        const std::string word(table.words().text(table.seen(p)[i]));
        Status written = out_.write(fmt::format("{},{},{}\n", head, csv_field(word), table.counts(p)[i]));
        if (!written) return written;
      }
    }
    return {};
  }
  [[nodiscard]] Status finish() override { return begin(); }

 private:
  [[nodiscard]] Status begin() {
    if (begun_) return {};
    begun_ = true;
    return out_.write("time,host,kind,subject,length_s,each_s,what,count\n");
  }

  LineWriter& out_;
  bool begun_ = false;
};

class FoldedWriter final : public ProfileWriter {
 public:
  explicit FoldedWriter(LineWriter& out) : out_(out) {}

  [[nodiscard]] Status add(const ProfileTable& table, std::span<const std::uint32_t> periods) override {
    for (const std::uint32_t p : periods) {
      for (std::size_t i = 0; i < table.seen(p).size(); ++i) {
        const std::string_view word = table.words().text(table.seen(p)[i]);
        const auto known = counts_.find(word);
        std::uint64_t& sum = known != counts_.end() ? known->second : counts_[std::string(word)];
        sum = sum_of_counts(sum, table.counts(p)[i]);
      }
    }
    return {};
  }
  [[nodiscard]] Status finish() override {
    for (const auto& [word, count] : counts_) {
      if (Status written = out_.write(fmt::format("{} {}\n", word, count)); !written) return written;
    }
    return {};
  }

 private:
  LineWriter& out_;
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

constexpr std::array kForms{
    ProfileForm{.name = "csv", .is_of_code = false, .make = make_csv_writer},
    ProfileForm{.name = "folded", .make = make_folded_writer},
    ProfileForm{.name = "pprof", .is_text = false, .make = make_pprof_writer},
    ProfileForm{.name = "chrome", .make = make_chrome_writer},
    ProfileForm{.name = "leave-hot", .kind = kCallsKind, .make = make_hot_sites_writer},
    ProfileForm{
        .name = "leave-others", .kind = kCallsKind, .needs_kept = true, .make = make_other_sites_writer}};

}  // namespace

std::span<const ProfileForm> profile_forms() { return kForms; }

std::unique_ptr<ProfileWriter> make_csv_writer(LineWriter& out, const std::vector<std::string>& /*kept*/) {
  return std::make_unique<CsvWriter>(out);
}

std::unique_ptr<ProfileWriter> make_folded_writer(LineWriter& out, const std::vector<std::string>& /*kept*/) {
  return std::make_unique<FoldedWriter>(out);
}

}  // namespace laggard::cmd
