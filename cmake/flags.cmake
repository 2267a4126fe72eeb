# Warnings are errors; sanitizers, fuzzing and LTO are switches of the presets. ccache where it is.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                    -Wno-missing-designated-field-initializers -Werror -fno-omit-frame-pointer)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WEIR_CCACHE})
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  find_program(WEIR_LLD NAMES ld.lld-19 ld.lld)
  if(WEIR_LLD)
    add_link_options(--ld-path=${WEIR_LLD})
  endif()
endif()

if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
endif()
if(WEIR_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# weir_optimised(TARGET): link-time optimisation for what ships and what is measured. The objects
# hold machine code too, so that tests link at once.
if(WEIR_LTO)
  if(NOT (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND WEIR_LLD))
    message(FATAL_ERROR "WEIR_LTO needs clang and lld: apt-get install clang-19 lld-19, "
                        "or configure without -DWEIR_LTO=ON.")
  endif()
  add_compile_options(-flto=thin -ffat-lto-objects)
endif()
function(weir_optimised target)
  if(WEIR_LTO)
    target_link_options(${target} PRIVATE -flto=thin -ffat-lto-objects
      -Wl,--thinlto-cache-dir=${CMAKE_BINARY_DIR}/lto-cache)
  endif()
endfunction()
