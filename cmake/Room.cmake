# laggard_room(NAME [DEPENDS room...] [LINK target...] [TEST_LINK target...])
#
# Every folder of src/ is a room: one static library of all its sources, and one test program of all the
# *_test.cc beside them. A folder of a room that has a CMakeLists.txt is a room of its own. DEPENDS names the rooms it
# may include (tests/include_table.txt holds the law and a test checks the includes; linking only follows it).
function(laggard_room NAME)
  cmake_parse_arguments(ROOM "" "" "DEPENDS;LINK;TEST_LINK" ${ARGN})
  file(GLOB_RECURSE sources RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS "*.cc")
  file(GLOB inner RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS "*/CMakeLists.txt")
  foreach(room ${inner})
    get_filename_component(folder "${room}" DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|(^|/)main)\\.cc$")

  if(sources)
    add_library(laggard_${NAME} STATIC ${sources})
    laggard_batches(laggard_${NAME} ${sources})
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
    laggard_batches(${NAME}_test ${tests})
    target_link_libraries(${NAME}_test PRIVATE laggard_${NAME} ${ROOM_TEST_LINK} laggard_warnings GTest::gmock GTest::gtest_main
                                               rapidcheck)
    target_compile_definitions(${NAME}_test PRIVATE
      LAGGARD_SOURCE_DIR="${PROJECT_SOURCE_DIR}" LAGGARD_BINARY="$<$<TARGET_EXISTS:laggard>:$<TARGET_FILE:laggard>>")
    set(timeout 120)
    if(LAGGARD_SANITIZE)
      set(timeout 600)  # Several times as slow, and no measure of anything.
    endif()
    gtest_discover_tests(${NAME}_test TEST_PREFIX "${NAME}." DISCOVERY_MODE PRE_TEST
                         # One seed for all: a test that fails today fails tomorrow.
                         PROPERTIES TIMEOUT ${timeout} ENVIRONMENT "RC_PARAMS=seed=20261121")
  endif()
endfunction()

# laggard_program(NAME ROOM): the program whose main.cc lies in this folder and whose commands are the room's.
function(laggard_program NAME ROOM)
  add_executable(${NAME} main.cc)
  target_link_libraries(${NAME} PRIVATE laggard_${ROOM} laggard_warnings)
  if(TCMALLOC)
    target_link_libraries(${NAME} PRIVATE ${TCMALLOC})
  endif()
  set_target_properties(${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  install(TARGETS ${NAME} RUNTIME DESTINATION bin)
  target_compile_definitions(laggard_${ROOM} PRIVATE LAGGARD_VERSION="${PROJECT_VERSION}")
  foreach(target laggard_${ROOM} ${ROOM}_test)
    if(TARGET ${target})
      target_link_libraries(${target} PRIVATE laggard_cli11_warnings)
    endif()
  endforeach()
endfunction()
