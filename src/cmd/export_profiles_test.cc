#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing_support::Folder;
using testing_support::laggard;
using testing_support::Said;

/// A recording of two periods of s1, with stacks, and of one of s2, without.
class ExportProfiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string folded = folder_.write("a.folded", "dd;main;write 3\ndd;main 1\n");
    for (const char* start : {"1700000000", "1700000010"}) {
      ASSERT_EQ(laggard({"import", "folded", folded, "--host", "s1", "--start", start, "--frequency", "100",
                         "--out", rec_})
                    .status,
                kClean);
    }
    const std::string perf = folder_.write("p.txt",
                                           "dd 7 [000] 1.000000: 1 cycles: 4011 f+0x1 (/bin/dd)\n"
                                           "dd 7 [000] 1.000000: 1 cycles: 4011 [unknown] (/lib/x.so)\n");
    ASSERT_EQ(
        laggard({"import", "perf", perf, "--host", "s2", "--start", "1700000000", "--out", rec_}).status,
        kClean);
  }
  Said exported(std::vector<std::string> words) {
    words.insert(words.begin(), {"export", rec_, "--profiles"});
    return laggard(std::move(words));
  }

  Folder folder_;
  std::string rec_ = folder_ / "rec";
};

TEST_F(ExportProfiles, AsCsvIsWhatWasRecorded) {
  EXPECT_EQ(exported({"samples", "--host", "s1", "--to", "1700000010"}).out,
            "time,host,kind,subject,length_s,each_s,what,count\n"
            "1700000000,s1,samples,,10,0.01,dd;;main,1\n"
            "1700000000,s1,samples,,10,0.01,dd;;write,3\n");
  EXPECT_THAT(exported({"samples,stacks"}).out, HasSubstr("1700000010,s1,stacks,,10,0.01,dd;main;write,3\n"));
  EXPECT_THAT(exported({"samples"}).out, HasSubstr("1700000000,s2,samples,,10,,dd;dd;f,1\n"));
}

TEST_F(ExportProfiles, FoldedIsOfStacksWhereThereAreAny) {
  EXPECT_EQ(exported({"samples", "--format", "folded"}).out,
            "dd;dd;f 1\ndd;main 2\ndd;main;write 6\ndd;x.so; 1\n");
  EXPECT_EQ(exported({"samples", "--format", "folded", "--host", "s2"}).out, "dd;dd;f 1\ndd;x.so; 1\n");
  EXPECT_EQ(exported({"stacks", "--format", "folded", "--from", "1700000010"}).out,
            "dd;main 1\ndd;main;write 3\n");
}

TEST_F(ExportProfiles, FoldedComesBackAsItWas) {
  const std::string text = exported({"stacks", "--format", "folded", "--to", "1700000010"}).out;
  const std::string again = folder_ / "again";
  const std::string file = folder_.write("b.folded", text);
  ASSERT_EQ(laggard({"import", "folded", file, "--host", "s1", "--start", "1700000000", "--frequency", "100",
                     "--out", again})
                .status,
            kClean);
  EXPECT_EQ(laggard({"export", again, "--profiles", "samples,stacks"}).out,
            exported({"samples,stacks", "--host", "s1", "--to", "1700000010"}).out);
}

TEST_F(ExportProfiles, WhatCannotBeIsOneSentence) {
  EXPECT_THAT(exported({"calls"}).err,
              HasSubstr("--profiles: there are no profiles of kind calls in the recording; "
                        "it has samples, stacks"));
  EXPECT_THAT(exported({"samples", "--host", "s9"}).err, HasSubstr("no profiles of host s9"));
  EXPECT_THAT(exported({"samples", "--format", "strace"}).err,
              HasSubstr("'strace' is none of csv, folded, pprof, chrome"));
  EXPECT_THAT(exported({"samples,stacks", "--format", "folded"}).err,
              HasSubstr("choose one kind of samples, stacks"));
  EXPECT_THAT(exported({"samples", "--events", "ping"}).err, HasSubstr("--profiles: contradicts"));
  EXPECT_THAT(laggard({"export", rec_, "--format", "pprof"}).err, HasSubstr("--profiles samples"));
}

/// The fields of a message: of each number its values, texts as they are and numbers in decimals.
std::multimap<std::uint64_t, std::string> fields_of(std::string_view message) {
  std::multimap<std::uint64_t, std::string> fields;
  ByteReader bytes(message);
  while (bytes.ok() && !bytes.rest().empty()) {
    const std::uint64_t key = bytes.varint();
    const bool is_text = (key & 7U) == 2;
    EXPECT_TRUE(is_text || (key & 7U) == 0);
    fields.emplace(key >> 3U,
                   is_text ? std::string(bytes.text(bytes.rest().size())) : std::to_string(bytes.varint()));
  }
  EXPECT_TRUE(bytes.ok());
  return fields;
}

std::vector<std::string> all_of(const std::multimap<std::uint64_t, std::string>& fields,
                                std::uint64_t number) {
  std::vector<std::string> values;
  for (auto [at, end] = fields.equal_range(number); at != end; ++at) values.push_back(at->second);
  return values;
}

std::string one_of(const std::multimap<std::uint64_t, std::string>& fields, std::uint64_t number) {
  const auto found = fields.find(number);
  return found == fields.end() ? "0" : found->second;
}

std::vector<std::uint64_t> packed(const std::string& text) {
  std::vector<std::uint64_t> numbers;
  ByteReader bytes(text);
  while (!bytes.rest().empty()) numbers.push_back(bytes.varint());
  return numbers;
}

std::string gunzipped(const std::string& bytes) {
  std::string text(1U << 20U, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  std::string in = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

/// Reads profile.proto back.
class Decoded {
 public:
  explicit Decoded(const std::string& packed_profile) : profile_(fields_of(gunzipped(packed_profile))) {
    strings_ = all_of(profile_, 6);
    for (const std::string& text : all_of(profile_, 5)) {
      const auto function = fields_of(text);
      functions_[one_of(function, 1)] = string(one_of(function, 2));
    }
    for (const std::string& text : all_of(profile_, 4)) {
      const auto place = fields_of(text);
      places_[one_of(place, 1)] = functions_.at(one_of(fields_of(one_of(place, 4)), 1));
      mappings_[places_[one_of(place, 1)]] = one_of(place, 2);
    }
  }
  [[nodiscard]] std::string string(const std::string& number) const {
    return strings_.at(std::stoul(number));
  }
  [[nodiscard]] std::vector<std::string> types() const {
    std::vector<std::string> types;
    for (const std::string& text : all_of(profile_, 1)) {
      const auto type = fields_of(text);
      types.push_back(string(one_of(type, 1)) + "/" + string(one_of(type, 2)));
    }
    return types;
  }
  /// `host: innermost<...<outermost = values`
  [[nodiscard]] std::vector<std::string> samples() const {
    std::vector<std::string> lines;
    for (const std::string& text : all_of(profile_, 2)) {
      const auto sample = fields_of(text);
      const auto label = fields_of(one_of(sample, 3));
      EXPECT_EQ(string(one_of(label, 1)), "host");
      std::string line = string(one_of(label, 2)) + ":";
      for (const std::uint64_t place : packed(one_of(sample, 1)))
        line += " " + places_.at(std::to_string(place));
      line += " =";
      for (const std::uint64_t value : packed(one_of(sample, 2))) line += " " + std::to_string(value);
      lines.push_back(line);
    }
    return lines;
  }
  [[nodiscard]] std::string number(std::uint64_t field) const { return one_of(profile_, field); }
  /// The file that a function is in, empty where nobody knows.
  [[nodiscard]] std::string file_of(const std::string& function) const {
    for (const std::string& text : all_of(profile_, 3)) {
      const auto mapping = fields_of(text);
      if (one_of(mapping, 1) == mappings_.at(function)) return string(one_of(mapping, 5));
    }
    return "";
  }

 private:
  std::multimap<std::uint64_t, std::string> profile_;
  std::vector<std::string> strings_;
  std::map<std::string, std::string> functions_;
  std::map<std::string, std::string> places_;
  std::map<std::string, std::string> mappings_;
};

TEST_F(ExportProfiles, PprofDecodes) {
  const Decoded s1(exported({"samples", "--format", "pprof", "--host", "s1"}).out);
  EXPECT_EQ(s1.string("0"), "");
  EXPECT_THAT(s1.types(), ElementsAre("samples/count", "cpu/nanoseconds"));
  EXPECT_THAT(s1.samples(), ElementsAre("s1: main dd = 2 20000000", "s1: write main dd = 6 60000000"));
  EXPECT_EQ(s1.number(9), "1700000000000000000");
  EXPECT_EQ(s1.number(10), "20000000000");
  EXPECT_EQ(s1.number(12), "10000000");
  const Decoded s2(exported({"samples", "--format", "pprof", "--host", "s2"}).out);
  EXPECT_THAT(s2.types(), ElementsAre("samples/count"));
  EXPECT_THAT(s2.samples(), ElementsAre("s2: f dd = 1", "s2: [x.so] dd = 1"));
  EXPECT_EQ(s2.file_of("[x.so]"), "x.so");
  EXPECT_EQ(s2.file_of("dd"), "");
  const std::string file = folder_ / "all.pb.gz";
  EXPECT_EQ(exported({"samples", "--format", "pprof", "--out", file}).status, kClean);
  EXPECT_EQ(Decoded(testing_support::read_text(file)).samples().size(), 4U);
}

TEST_F(ExportProfiles, ChromeSlicesLieWithinTheirPeriodAndTheirCallers) {
  const auto said = exported({"samples", "--format", "chrome", "--host", "s1", "--to", "1700000010"});
  const auto events = nlohmann::json::parse(said.out)["traceEvents"];
  std::vector<std::string> slices;
  for (const auto& event : events) {
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["ts"], 1700000000e6);
    EXPECT_LE(event["ts"].get<double>() + event["dur"].get<double>(), 1700000010e6);
    slices.push_back(event["name"].get<std::string>() + " " + event["dur"].dump() + " " +
                     event["args"].dump());
  }
  EXPECT_THAT(slices, ElementsAre(R"(dd 10000000 {"count":4,"cpu_ms":40})",
                                  R"(main 10000000 {"count":4,"cpu_ms":40})",
                                  R"(write 7500000 {"count":3,"cpu_ms":30})"));
}

TEST_F(ExportProfiles, NothingInTheTimeIsStillADocument) {
  const std::vector<std::string> none{"samples", "--from", "1800000000", "--format"};
  const auto in = [&](const char* form) {
    std::vector<std::string> words = none;
    words.emplace_back(form);
    return exported(words).out;
  };
  EXPECT_EQ(in("folded"), "");
  EXPECT_THAT(in("csv"), StartsWith("time,host"));
  EXPECT_EQ(nlohmann::json::parse(in("chrome"))["traceEvents"].size(), 1U);
  EXPECT_TRUE(Decoded(in("pprof")).samples().empty());
}

TEST_F(ExportProfiles, ImportingTheSameAgainAddsNothing) {
  const std::string folded = folder_.write("a.folded", "dd;main;write 3\ndd;main 1\n");
  const auto said = laggard({"import", "folded", folded, "--host", "s1", "--start", "1700000000",
                             "--frequency", "100", "--out", rec_});
  EXPECT_THAT(said.out, HasSubstr(": 0 new profiles (2 already there)"));
  const auto bad = laggard({"import", "folded", folded, "--host", "s1", "--start", "0", "--frequency", "-1",
                            "--out", folder_ / "other"});
  EXPECT_THAT(bad.err, HasSubstr("--frequency: '-1' is no number of samples a second"));
}

}  // namespace
}  // namespace laggard::cmd
