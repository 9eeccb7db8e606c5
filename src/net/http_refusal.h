#pragma once

#include <string>
#include <string_view>

#include "net/http.h"

namespace laggard::net {

/// A server's refusal as the end of a sentence: its status, what it says in a form that a terminal can show,
/// and what the user may do. Apart from the client because proxies in front of a server speak too.
/// \param reply   not of status 2xx.
/// \param error   what the reply says in the form of an API; empty for other pages, of which the first line
///                is shown.
/// \param advice  of the caller's own for this status; empty where there is none.
[[nodiscard]] std::string refusal(const HttpReply& reply, std::string_view error, std::string_view advice);

}  // namespace laggard::net
