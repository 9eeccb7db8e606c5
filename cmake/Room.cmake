# laggard_room(NAME [DEPENDS room...] [LINK target...])
#
# Every folder of src/ is a room: one static library of all its sources, and one test program of all the
# *_test.cc beside them. DEPENDS names the rooms it may include (tests/include_table.txt holds the law and a
# test checks the includes; linking only follows it).
function(laggard_room NAME)
  cmake_parse_arguments(ROOM "" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")

  if(sources)
    add_library(laggard_${NAME} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(laggard_${NAME} PRIVATE laggard_warnings)
  else()
    add_library(laggard_${NAME} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(laggard_${NAME} ${scope} "${PROJECT_SOURCE_DIR}/src")
  foreach(dependency ${ROOM_DEPENDS})
    target_link_libraries(laggard_${NAME} ${scope} laggard_${dependency})
  endforeach()
  target_link_libraries(laggard_${NAME} ${scope} ${ROOM_LINK})

  if(LAGGARD_TESTS AND tests)
    add_executable(${NAME}_test ${tests})
    target_link_libraries(${NAME}_test PRIVATE laggard_${NAME} laggard_warnings GTest::gmock GTest::gtest_main
                                               rapidcheck)
    target_compile_definitions(${NAME}_test PRIVATE
      LAGGARD_SOURCE_DIR="${PROJECT_SOURCE_DIR}" LAGGARD_BINARY="$<$<TARGET_EXISTS:laggard>:$<TARGET_FILE:laggard>>")
    gtest_discover_tests(${NAME}_test TEST_PREFIX "${NAME}." DISCOVERY_MODE PRE_TEST
                         # One seed for all: a test that fails today fails tomorrow.
                         PROPERTIES TIMEOUT 120 ENVIRONMENT "RC_PARAMS=seed=20261121")
  endif()
endfunction()
