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
#include <stdint.h>
#include <time.h>

typedef void kernel(const void *args, const void *launch);
typedef void rounds(const void *context, int64_t first, int64_t last, int64_t worker);

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

// One call of machine code.
struct call {
  kernel *function;
  const void *args;
  const void *launch;
  rounds *function_of_rounds;
  const void *context;
  int64_t first, last, worker;
};

static void run(const struct call *call) {
  if (call->function != NULL) {
    call->function(call->args, call->launch);
  } else {
    call->function_of_rounds(call->context, call->first, call->last, call->worker);
  }
}

// False if the code was left before its end.
static bool run_stoppable(const struct call *call) {
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
  run(call);
  way_out = around;
  return true;
}

// Runs a kernel. False if it was left before its end.
bool situ_call_stoppable(kernel *function, const void *args, const void *launch) {
  const struct call call = {.function = function, .args = args, .launch = launch};
  return run_stoppable(&call);
}

// What rounds cost: nanoseconds each, 0 if that is not known, and how often they ran without a look at the clock.
struct cost {
  float ns;
  uint32_t unmeasured;
};

// Rounds that take less stay on this thread.
static const float inline_ns = 20000.0f;

// Rounds that take less are measured now and then only: the clock takes some 25 ns.
static const float unmeasured_ns = 1000.0f;
static const uint32_t unmeasured_most = 64;

// Whether this thread runs rounds already, and as which worker.
static _Thread_local bool is_in_rounds;
static _Thread_local int64_t own_worker;

// Shares rounds out to all threads. False if they were stopped.
static bool (*share_rounds)(rounds *function, const void *context, int64_t count, struct cost *cost);

void situ_share_rounds_by(bool (*share)(rounds *, const void *, int64_t, struct cost *)) {
  share_rounds = share;
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Runs some rounds as a worker. False if they were left before their end.
bool situ_call_rounds(rounds *function, const void *context, int64_t first, int64_t last,
                      int64_t worker) {
  const struct call call = {.function_of_rounds = function,
                            .context = context,
                            .first = first,
                            .last = last,
                            .worker = worker};
  const bool was_in_rounds = is_in_rounds;
  const int64_t worker_before = own_worker;
  is_in_rounds = true;
  own_worker = worker;
  const bool is_done = run_stoppable(&call);
  is_in_rounds = was_in_rounds;
  own_worker = worker_before;
  return is_done;
}

// What kernels call for rounds that do not depend on each other. Rounds inside of others stay on their thread, which
// is one of those that share the work already.
void situ_run_rounds(rounds *function, const void *context, int64_t count, struct cost *cost) {
  if (count <= 0) {
    return;
  }
  if (is_in_rounds || count == 1) {
    function(context, 0, count, own_worker);
    return;
  }
  float ns;
  __atomic_load(&cost->ns, &ns, __ATOMIC_RELAXED);
  const float expected = ns * (float)count;
  if (ns > 0 && expected < inline_ns) {
    const uint32_t unmeasured = __atomic_load_n(&cost->unmeasured, __ATOMIC_RELAXED);
    if (expected < unmeasured_ns && unmeasured < unmeasured_most) {
      __atomic_store_n(&cost->unmeasured, unmeasured + 1, __ATOMIC_RELAXED);
      function(context, 0, count, 0);
      return;
    }
    const int64_t start = now_ns();
    function(context, 0, count, 0);
    float measured = (float)(now_ns() - start) / (float)count;
    // A thread that lost its processor for a while says nothing about the rounds.
    measured = measured < 2 * ns ? measured : 2 * ns;
    if (measured > 0) {
      __atomic_store(&cost->ns, &measured, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&cost->unmeasured, 0, __ATOMIC_RELAXED);
    return;
  }
  // What shares work out owns memory and locks, so it is not to be left.
  sigjmp_buf *const kernel_end = way_out;
  way_out = NULL;
  const bool is_done = share_rounds(function, context, count, cost);
  way_out = kernel_end;
  if (!is_done && kernel_end != NULL) {
    siglongjmp(*kernel_end, 1);
  }
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
