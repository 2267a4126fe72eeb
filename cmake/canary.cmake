message(STATUS "canary: written later")
