#pragma once

// Reads system files, for the tests of rooms that only write them.
#include "topology/check.h"
#include "topology/groups.h"
#include "topology/system_file.h"
