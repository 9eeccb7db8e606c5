#pragma once

#include "model/diagnosis.h"
#include "model/grouping.h"

namespace laggard::lab {

/// Blames by the factor graph of K §V-A alone what findings of metrics are about: every component is a path
/// over what it needs, and during an incident those that are in it fail and those that are in no other one
/// succeed. The blame of each incident becomes the part that is the likeliest to have failed; of several as
/// likely ones, that on most paths.
void blame_by_paths(Diagnosis& diagnosis, const Grouping& grouping);

}  // namespace laggard::lab
