#pragma once

#include <string>
#include <string_view>

#include "collect/import/prometheus/transport.h"

namespace laggard::collect {

/// A server's refusal as the end of a sentence: its status, what it says in a form that a terminal can show,
/// and what the user may do. Apart from the import because proxies in front of a server speak too. \param
/// reply  not of status 2xx. \param error  of an answer of the API; empty for other pages, of which the first
/// line is shown.
[[nodiscard]] std::string refusal(const HttpReply& reply, std::string_view error);

}  // namespace laggard::collect
