#include "lab/scale/open_load.h"

#include <algorithm>
#include <optional>

namespace laggard::lab::scale {

OpenLoad::OpenLoad(const ScaleSpec& spec, const std::vector<FileSystemLoad>& loads, const Plan& plan,
                   std::size_t array)
    : spec_(spec), plan_(plan), array_(array), load_(spec, loads, array) {}

void OpenLoad::send(Seconds from, Seconds to, ArrayModel& model) {
  load_.begin(static_cast<double>(from), static_cast<double>(to));
  load_.draw_jobs();
  for (std::size_t lun = 0; lun < spec_.site.luns_per_array(); ++lun) {
    load_.draw(model.extra_load(lun), lun);
    const Effect* own = model.own_requests(lun);
    for (std::size_t s = 0; own != nullptr && s < spec_.site.servers_per_array; ++s) {
      if (own->servers.test(s)) load_.draw(*own->at_servers, lun, s);
    }
    draw_server_work(lun, to);
  }
  order_.clear();
  for (std::size_t i = 0; i < load_.drawn().size(); ++i) order_.emplace_back(load_.drawn()[i].at, i);
  std::ranges::sort(order_);
  for (const auto& [at, i] : order_) model.send(load_.drawn()[i]);
}

void OpenLoad::draw_server_work(std::size_t lun, Seconds to) {
  for (const ServerWork& own : plan_.server_work) {
    if (to <= own.from || to > own.to) continue;
    if (own.pool && *own.pool != spec_.site.sets[spec_.site.set_of(lun)].pool) continue;
    const std::optional<std::size_t> server = own.array == array_ ? std::optional(own.server) : std::nullopt;
    load_.draw(own.requests, lun, server);
  }
}

}  // namespace laggard::lab::scale
