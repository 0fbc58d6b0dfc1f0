// Calls machine code of a kernel so that a signal can end the call.
//
// A kernel owns nothing: no lock, no memory, no file. Leaving it in the middle of an instruction loses
// the rest of its results and nothing else. So loops need no checks, and cost what they cost without.
//
// The signal is SIGURG, which programs hardly use and which is ignored by default.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef void kernel(const void *args, const void *launch);

// Where the kernel that this thread runs is left. Null while it runs none.
static _Thread_local sigjmp_buf *volatile way_out;

static bool (*must_stop)(void);
static struct sigaction earlier;

#ifdef __x86_64__
static unsigned rounding_and_flags(void) { return __builtin_ia32_stmxcsr(); }
static void set_rounding_and_flags(unsigned bits) { __builtin_ia32_ldmxcsr(bits); }
#else
static unsigned rounding_and_flags(void) { return 0; }
static void set_rounding_and_flags(unsigned bits) { (void)bits; }
#endif

// Runs a kernel. False if it was left before its end.
bool situ_call_stoppable(kernel *function, const void *args, const void *launch) {
  sigjmp_buf here;
  sigjmp_buf *const around = way_out;
  const unsigned control = rounding_and_flags();
  if (sigsetjmp(here, 0) != 0) {
    way_out = around;
    // Handlers of signals start with the system's default.
    set_rounding_and_flags(control);
    return false;
  }
  way_out = &here;
  function(args, launch);
  way_out = around;
  return true;
}

static void handle(int number, siginfo_t *info, void *context) {
  sigjmp_buf *const kernel_end = way_out;
  if (kernel_end == NULL) {
    // Not ours, or the kernel has just ended.
    if (earlier.sa_flags & SA_SIGINFO) {
      earlier.sa_sigaction(number, info, context);
    } else if (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN) {
      earlier.sa_handler(number);
    }
    return;
  }
  const int error = errno;
  // Whatever the question runs is not to be left.
  way_out = NULL;
  const bool stops = must_stop();
  way_out = kernel_end;
  errno = error;
  if (stops) {
    siglongjmp(*kernel_end, 1);
  }
}

// Installs the handler, which asks `question` on a thread that runs a kernel.
bool situ_handle_stops(bool (*question)(void)) {
  struct sigaction action = {0};
  must_stop = question;
  action.sa_sigaction = handle;
  // A handler that is left by a jump must not leave the signal blocked.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGURG, &action, &earlier) == 0;
}

// Has a thread ask, unless the program has put another handler in place of ours.
void situ_ask_thread(pthread_t thread) {
  struct sigaction now;
  if (sigaction(SIGURG, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
      now.sa_sigaction == handle) {
    pthread_kill(thread, SIGURG);
  }
}
