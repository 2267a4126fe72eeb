// Expected failure is a value: result<T> holds a T or an error with a sentence for a person.
#pragma once

#include <boost/system/result.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace weir {

// What went wrong, in a sentence that says what was expected and what to do.
// Made by fail() only: were it constructible from a string, a result<std::string> could not be
// returned from one.
class error {
 public:
  std::string message;
  error() = default;  // result<T>::error() of a success

 private:
  explicit error(std::string text) : message{std::move(text)} {}
  friend error fail(std::string message);
};

template <class T>
using result = boost::system::result<T, error>;

// value() on an error is a bug of the caller, hence an exception.
[[noreturn]] inline void throw_exception_from_error(const error& e, const boost::source_location&) {
  throw std::logic_error{e.message};
}

inline error fail(std::string message) { return error{std::move(message)}; }

}  // namespace weir
