// Runs a callback and turns a C++ exception that it lets through into text.
//
// The library that situ calls has a C interface, but some of its functions throw. An exception that
// reaches Rust's own frames from below ends the process; here it is caught on the way.

#include <exception>

extern "C" bool situ_guard(void (*callback)(void *), void *data,
                           void (*report)(void *, const char *)) noexcept {
  try {
    callback(data);
    return true;
  } catch (const std::exception &thrown) {
    report(data, thrown.what());
  } catch (...) {
    report(data, "an exception that carries no text");
  }
  return false;
}
