#pragma once

#include <string>

#include "model/payload.h"
#include "report/json_writer.h"
#include "report/layout.h"
#include "report/wording.h"

/// Payloads of evidence, drawn by their shape alone: a report knows no witness.
namespace laggard::report {

/// `{"title":"…","shape":"lines",…}`: shape is series, distribution, table, ranked, lines, grid or flames.
void write(JsonWriter& json, const Payload& payload);

/// For a terminal, shortened to what anybody reads; the JSON has all. Nothing of what is only to be looked
/// at.
void put_payload(Page& page, const Payload& payload, const Clockface& clock, std::size_t indent);

/// For the page; every text in it is escaped.
[[nodiscard]] std::string payload_markup(const Payload& payload, const Clockface& clock);

}  // namespace laggard::report
