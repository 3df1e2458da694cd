# Files as tables in C++.
#
# evo_embed_files(<target> <symbol> [BASE <folder>] <file>...)
#
# Adds to <target> a source that holds the files as bytes, and a header
# "<symbol>.h" which declares
#   namespace evo::embedded {
#   extern const File <symbol>[];
#   extern const std::size_t <symbol>Count;
#   }
# with `struct File { const char *name, *data; std::size_t size; }`. The name is
# the file's own, without folders, or with those below BASE; the data ends with a
# NUL beyond its size. The source is made again whenever one of the files changes.

set(EVO_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/EvoEmbedScript.cmake")

function(evo_embed_files target symbol)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp")
  set(header "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.h")
  set(files)
  set(names)
  cmake_parse_arguments(EMBED "" "BASE" "" ${ARGN})
  foreach(file IN LISTS EMBED_UNPARSED_ARGUMENTS)
    get_filename_component(path "${file}" ABSOLUTE)
    get_filename_component(name "${file}" NAME)
    if(EMBED_BASE)
      file(RELATIVE_PATH name "${EMBED_BASE}" "${path}")
    endif()
    if(name IN_LIST names)
      message(FATAL_ERROR "evo_embed_files: two files are named '${name}'")
    endif()
    list(APPEND names "${name}")
    list(APPEND files "${path}")
  endforeach()
  # A list cannot cross a command line; a bar cannot be in a list of ours.
  string(REPLACE ";" "|" joined "${files}")
  add_custom_command(
    OUTPUT "${source}" "${header}"
    COMMAND ${CMAKE_COMMAND} "-DSYMBOL=${symbol}" "-DSOURCE=${source}"
            "-DHEADER=${header}" "-DFILES=${joined}" "-DBASE=${EMBED_BASE}" -P "${EVO_EMBED_SCRIPT}"
    DEPENDS ${files} "${EVO_EMBED_SCRIPT}"
    COMMENT "Embedding ${symbol}"
    VERBATIM)
  target_sources(${target} PRIVATE "${source}" "${header}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
