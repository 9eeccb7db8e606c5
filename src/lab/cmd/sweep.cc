#include "lab/cmd/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace laggard::lab {

namespace {

/// One constant: F's value, the others that F tried, and how to set it in a method.
struct Swept {
  std::string_view what;
  double own;
  std::vector<double> others;
  std::function<void(MethodSpec&, double)> set;
};

const std::vector<Swept>& all_swept() {
  const auto count = [](double value) { return static_cast<std::size_t>(value); };
  static const std::vector<Swept> all{
      {swept::kSmoothing,
       5,
       {1, 3, 7, 9},
       [=](MethodSpec& m, double n) { m.preset.windows.smoothing = count(n); }},
      {swept::kFilter, 3, {1, 2, 5, 7, 8}, [=](MethodSpec& m, double n) { m.preset.windows.k = count(n); }},
      {swept::kSize,
       64,
       {32, 48, 80, 96, 112, 128},
       [=](MethodSpec& m, double n) { m.preset.windows.size = count(n); }},
      {swept::kShift,
       32,
       {16, 24, 40, 48, 56, 64},
       [=](MethodSpec& m, double n) { m.preset.windows.shift = count(n); }},
      {swept::kFactor, 2, {1, 1.5, 3, 4}, [](MethodSpec& m, double factor) { m.preset.factor = factor; }},
      {swept::kCongestion,
       31,
       {1, 5, 9, 19},
       [](MethodSpec& m, double seconds) { m.congestion_seconds = seconds; }},
  };
  return all;
}

std::string name_of(std::string_view what, double value) { return fmt::format("{} {}", what, value); }

}  // namespace

std::vector<MethodSpec> sensitivity_sweep() {
  std::vector<MethodSpec> methods{paper_method()};
  for (const Swept& swept : all_swept()) {
    for (const double value : swept.others) {
      MethodSpec method = paper_method();
      method.name = name_of(swept.what, value);
      swept.set(method, value);
      methods.push_back(method);
    }
  }
  return methods;
}

std::string setting_name(std::string_view what, double value) {
  for (const Swept& swept : all_swept()) {
    if (swept.what == what && swept.own == value) return paper_method().name;
  }
  return name_of(what, value);
}

namespace {

/// Per cent of one setting.
struct Point {
  double itp, ifp, dtp, dfp;
};

std::string both(double first, double second) { return fmt::format("{:.1f} / {:.1f}", first, second); }

/// F's constant at several values: every claim looks at some of them.
class Settings {
 public:
  explicit Settings(const std::vector<SweepRow>& rows) : rows_(rows) {}

  /// Nothing when one of the values was not tried.
  [[nodiscard]] std::optional<std::vector<Point>> at(std::string_view what,
                                                     const std::vector<double>& values) const {
    std::vector<Point> points;
    for (const double value : values) {
      const auto row = std::ranges::find(rows_, setting_name(what, value), &SweepRow::name);
      if (row == rows_.end()) return std::nullopt;
      points.push_back({row->rates.itp.percent(), row->rates.ifp.percent(), row->rates.dtp.percent(),
                        row->rates.dfp.percent()});
    }
    return points;
  }

 private:
  const std::vector<SweepRow>& rows_;
};

struct Range {
  double low, high;
};
Range range(const std::vector<Point>& points, double Point::*figure) {
  const auto [low, high] = std::ranges::minmax(points, {}, figure);
  return {low.*figure, high.*figure};
}
std::string text(Range r) { return fmt::format("{:.1f}–{:.1f}", r.low, r.high); }

using Points = std::vector<Point>;

SweepClaim unsmoothed(const Points& p) {
  return {"no moving average: more found (ITP 79 %, 70 with 5 points), more wrong causes (DFP 10 %, 6.7)",
          fmt::format("ITP {}, DFP {}", both(p[0].itp, p[1].itp), both(p[0].dfp, p[1].dfp)),
          p[0].itp > p[1].itp && p[0].dfp > p[1].dfp};
}

SweepClaim too_smooth(const Points& p) {
  return {"9 points: DFP (11 %) above that without (10), DTP (58.3 %) below (about 69)",
          fmt::format("DFP {}, DTP {}", both(p[1].dfp, p[0].dfp), both(p[1].dtp, p[0].dtp)),
          p[1].dfp > p[0].dfp && p[1].dtp < p[0].dtp};
}

SweepClaim five_points(const Points& p) {
  const auto least = [&](double Point::*figure) { return p[0].*figure <= range(p, figure).low; };
  return {"5 points have the least IFP (2.4 %) and DFP (6.7 %) of all spans",
          fmt::format("IFP {:.1f} of {}, DFP {:.1f} of {}", p[0].ifp, text(range(p, &Point::ifp)), p[0].dfp,
                      text(range(p, &Point::dfp))),
          least(&Point::ifp) && least(&Point::dfp)};
}

/// The gain of all but the first over the first.
std::string gains(const Points& p) {
  const Points rest(p.begin() + 1, p.end());
  const auto gain = [&](double Point::*figure) {
    const Range r = range(rest, figure);
    return fmt::format("{:+.1f} to {:+.1f}", r.low - p[0].*figure, r.high - p[0].*figure);
  };
  return fmt::format("ITP {}, DTP {}, IFP {}, DFP {}", gain(&Point::itp), gain(&Point::dtp),
                     gain(&Point::ifp), gain(&Point::dfp));
}

/// Whether all but the first find more and have fewer false positives.
bool all_better(const Points& p) {
  return std::all_of(p.begin() + 1, p.end(), [&](const Point& q) {
    return q.itp > p[0].itp && q.dtp > p[0].dtp && q.ifp <= p[0].ifp && q.dfp <= p[0].dfp;
  });
}

SweepClaim filtering(const Points& p) {
  return {"k of 3 to 7 against no filter: ITP and DTP +6, IFP and DFP -1", gains(p), all_better(p)};
}

SweepClaim long_filter(const Points& p) {
  return {"k of 8: less found and more wrong again than with 7",
          fmt::format("ITP {}, DFP {}", both(p[1].itp, p[0].itp), both(p[1].dfp, p[0].dfp)),
          p[1].itp < p[0].itp && p[1].dfp >= p[0].dfp};
}

SweepClaim congestion(const Points& p) {
  return {"averages of cwnd over 5 to 31 s against none: ITP and DTP +8, IFP and DFP -1", gains(p),
          all_better(p)};
}

SweepClaim insensitive(std::string_view what, const Points& p) {
  constexpr double kTrueWidth = 4;
  constexpr double kFalseWidth = 3;
  const Range dtp = range(p, &Point::dtp);
  const Range dfp = range(p, &Point::dfp);
  return {fmt::format("{}: comparable, DTP 62–66 %, DFP 6–9 % (not wider than 4 and 3 points)", what),
          fmt::format("DTP {}, DFP {}", text(dtp), text(dfp)),
          dtp.high - dtp.low <= kTrueWidth && dfp.high - dfp.low <= kFalseWidth};
}

SweepClaim small_factor(const Points& p) {
  return {
      "thresholds x 1: IFP / DFP rise to 19 / 23 %; x 1.5: 3 / 8; x 2: 2 / 7",
      fmt::format("{}; {}; {}", both(p[0].ifp, p[0].dfp), both(p[1].ifp, p[1].dfp), both(p[2].ifp, p[2].dfp)),
      p[0].ifp > p[1].ifp && p[0].dfp > p[1].dfp && p[1].ifp >= p[2].ifp && p[1].dfp >= p[2].dfp};
}

SweepClaim large_factor(const Points& p) {
  constexpr double kHeld = 2;
  const Point& first = p.front();
  const Point& last = p.back();
  return {"thresholds x 2 to x 4: ITP / DTP fall from 70 / 65 to 54 / 48 %, IFP / DFP hold (within 2 points)",
          fmt::format("{} to {}; IFP {}, DFP {}", both(first.itp, first.dtp), both(last.itp, last.dtp),
                      both(first.ifp, last.ifp), both(first.dfp, last.dfp)),
          last.itp < first.itp && last.dtp < first.dtp && last.ifp <= first.ifp + kHeld &&
              last.dfp <= first.dfp + kHeld};
}

}  // namespace

std::vector<SweepRow> over_all_clusters(const std::vector<ClusterResults>& results) {
  std::vector<SweepRow> rows;
  for (const ClusterResults& cluster : results) {
    for (const MethodResults& method : cluster.methods) {
      auto row = std::ranges::find(rows, method.name, &SweepRow::name);
      if (row == rows.end()) row = rows.insert(rows.end(), {method.name, {}});
      row->rates.add(method.tally.aggregate);
    }
  }
  return rows;
}

std::vector<SweepClaim> check_claims(const std::vector<SweepRow>& rows) {
  const Settings settings(rows);
  std::vector<SweepClaim> claims;
  const auto claim = [&](std::string_view what, const std::vector<double>& values, const auto& check) {
    if (const auto points = settings.at(what, values)) claims.push_back(check(*points));
  };
  claim(swept::kSmoothing, {1, 5}, unsmoothed);
  claim(swept::kSmoothing, {1, 9}, too_smooth);
  claim(swept::kSmoothing, {5, 1, 3, 7, 9}, five_points);
  claim(swept::kFilter, {1, 3, 5, 7}, filtering);
  claim(swept::kFilter, {7, 8}, long_filter);
  claim(swept::kCongestion, {1, 5, 9, 19, 31}, congestion);
  claim(swept::kSize, {48, 64, 80, 96, 112, 128},
        [](const Points& p) { return insensitive("WinSize of 48 and more", p); });
  claim(swept::kShift, {32, 40, 48, 56, 64},
        [](const Points& p) { return insensitive("WinShift of 32 and more", p); });
  claim(swept::kFactor, {1, 1.5, 2}, small_factor);
  claim(swept::kFactor, {2, 3, 4}, large_factor);
  return claims;
}

}  // namespace laggard::lab
