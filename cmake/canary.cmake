# Refuses a compiler that destroys twice a temporary of an expression with co_await (g++ 12 does).
# Compiles and runs cmake/canary.cpp once; the verdict is cached per compiler and version.
set(canary_key "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION}")
if(NOT WEIR_CANARY_PASSED STREQUAL canary_key)
  unset(canary_ran CACHE)
  unset(canary_built CACHE)
  try_run(canary_ran canary_built
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/canary.cpp
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    COMPILE_OUTPUT_VARIABLE canary_output)
  set(canary_advice
    "Expected a compiler with correct C++20 coroutines. Use clang 19: apt-get install clang-19, "
    "then configure in an empty build folder with -DCMAKE_CXX_COMPILER=clang++-19 "
    "-DCMAKE_C_COMPILER=clang-19, or run ./dev build, which does both.")
  list(JOIN canary_advice "" canary_advice)
  if(NOT canary_built)
    message(FATAL_ERROR "The compiler ${canary_key} cannot compile cmake/canary.cpp:\n"
      "${canary_output}\n${canary_advice}")
  endif()
  if(NOT canary_ran EQUAL 0)
    message(FATAL_ERROR "The compiler ${canary_key} fails cmake/canary.cpp (result ${canary_ran}): "
      "it destroys twice, or never, a temporary of an expression with co_await, so weir built "
      "with it would corrupt memory. ${canary_advice}")
  endif()
  set(WEIR_CANARY_PASSED "${canary_key}" CACHE INTERNAL "the compiler that passed cmake/canary.cpp")
  message(STATUS "Coroutine canary passed: ${canary_key}")
endif()
