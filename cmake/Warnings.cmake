# One interface target carries the warnings; only our own targets link it.
add_library(laggard_warnings INTERFACE)
target_compile_options(laggard_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion -Wold-style-cast
  -Wcast-align -Wcast-qual -Wnon-virtual-dtor -Woverloaded-virtual -Wsuggest-override -Wformat=2 -Wundef
  -Wvla -Wmissing-declarations -Wextra-semi
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op>
  $<$<BOOL:${LAGGARD_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND LAGGARD_WERROR)
  # Not in what users build: at -O3 GCC 12 sees null dereferences that are not there, in std::vector<bool> among others,
  # here or there as sources come and go.
  target_compile_options(laggard_warnings INTERFACE -Wnull-dereference)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND LAGGARD_SANITIZE)
  # The sanitizers' instrumentation makes GCC 12 see null dereferences and uninitialised reads that are not there.
  target_compile_options(laggard_warnings INTERFACE -Wno-null-dereference -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # At -O3 GCC 12 sees overlapping copies in "text" + std::string that are not there (GCC bug 105651).
  target_compile_options(laggard_warnings INTERFACE -Wno-restrict)
endif()

# To be linked after the one above by what includes CLI11: GCC 12 sees null dereferences in its inline functions that are
# not there.
add_library(laggard_cli11_warnings INTERFACE)
target_compile_options(laggard_cli11_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-null-dereference>)
