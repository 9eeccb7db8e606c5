# laggard_report_assets(OUT): sets OUT to a source made of the HTML report's script and style, in the order in which they are joined.
function(laggard_report_assets OUT)
  set(web "${PROJECT_SOURCE_DIR}/web/report")
  set(scripts unpack.js format.js store.js theme.js figure.js axes.js raster.js peers.js distribution.js colours.js map.js tables.js
              main.js)
  list(TRANSFORM scripts PREPEND "${web}/")
  set(styles "${web}/page.css")
  string(REPLACE ";" "," script_list "${scripts}")
  string(REPLACE ";" "," style_list "${styles}")
  set(embed "${PROJECT_SOURCE_DIR}/cmake/EmbedReport.cmake")
  set(assets "${CMAKE_CURRENT_BINARY_DIR}/assets.cc")
  add_custom_command(OUTPUT "${assets}" DEPENDS ${scripts} ${styles} "${embed}" VERBATIM
    COMMAND "${CMAKE_COMMAND}" "-DSCRIPTS=${script_list}" "-DSTYLES=${style_list}" "-DOUT=${assets}" -P "${embed}")
  set(${OUT} "${assets}" PARENT_SCOPE)
endfunction()
