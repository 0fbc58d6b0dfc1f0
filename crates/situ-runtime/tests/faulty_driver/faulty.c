/* An OpenCL loader that makes mistakes on demand.
 *
 * It is linked with the system's loader, so what it does not define is found there. What it defines
 * forwards to the loader, unless the environment variable FAULTY asks for something else: words
 * separated by spaces.
 *
 *   launch=-5        clEnqueueNDRangeKernel answers -5, always
 *   launch=-5@2      ... the second time only
 *   hide=cl_khr_fp64 devices do not have this extension
 *   svm=1            CL_DEVICE_SVM_CAPABILITIES is 1, where the device has that
 *   local=4096       CL_DEVICE_LOCAL_MEM_SIZE is 4096
 *   depth=2          the last of CL_DEVICE_MAX_WORK_ITEM_SIZES is 2
 *
 * The calls that can fail: platforms, devices, info, context, queue, source, build, kernel, argument,
 * launch, finish, copy, fill, allocate (which gives a null pointer).
 *
 * FAULTY_LOG is what the compiler says, and FAULTY_CODE with the form `before=>after` replaces a word in
 * programs before the driver sees them.
 *
 * Objects that were made and not yet released are counted: faulty_objects().
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t status;
typedef void *handle;

enum {
    DEVICE_LOCAL_MEM_SIZE = 0x1023,
    DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    DEVICE_MAX_WORK_ITEM_SIZES = 0x1005,
    DEVICE_EXTENSIONS = 0x1030,
    DEVICE_SVM_CAPABILITIES = 0x1053,
    PROGRAM_BUILD_LOG = 0x1183,
    INVALID_VALUE = -30,
};

static long objects;

/* How many kernels, programs, command queues and allocations there are. */
long faulty_objects(void) { return __atomic_load_n(&objects, __ATOMIC_SEQ_CST); }

static void count(long change) { __atomic_add_fetch(&objects, change, __ATOMIC_SEQ_CST); }

/* What comes after `word=` in FAULTY; null if it is not there. */
static const char *asked(const char *word) {
    const char *text = getenv("FAULTY");
    size_t length = strlen(word);
    while (text && *text) {
        if (strncmp(text, word, length) == 0 && text[length] == '=') return text + length + 1;
        text = strchr(text, ' ');
        if (text) text++;
    }
    return NULL;
}

/* The number that was asked for, or `otherwise`. */
static uint64_t number(const char *word, uint64_t otherwise) {
    const char *text = asked(word);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* How often calls of a sort were made, this one included. */
static long call_number(const char *word) {
    static struct {
        const char *word;
        long calls;
    } counters[16];
    for (size_t k = 0; k < sizeof counters / sizeof *counters; k++) {
        const char *nobody = NULL;
        /* The first who comes takes the place, unless it is taken. */
        int is_mine = __atomic_compare_exchange_n(&counters[k].word, &nobody, word, 0, __ATOMIC_SEQ_CST,
                                                  __ATOMIC_SEQ_CST);
        if (is_mine || strcmp(nobody, word) == 0)
            return __atomic_add_fetch(&counters[k].calls, 1, __ATOMIC_SEQ_CST);
    }
    abort();
}

/* What a call is to answer; 0 if it is to work. */
static status fault(const char *word) {
    long call = call_number(word);
    const char *text = asked(word);
    if (!text) return 0;
    char *end;
    status wanted = (status)strtol(text, &end, 10);
    return *end == '@' && strtol(end + 1, NULL, 10) != call ? 0 : wanted;
}

#define FAIL(word)                               \
    do {                                         \
        status wanted = fault(word);             \
        if (wanted != 0) return wanted;          \
    } while (0)

#define FAIL_WITH_NULL(word, place)              \
    do {                                         \
        status wanted = fault(word);             \
        if (wanted != 0) {                       \
            if (place) *(place) = wanted;        \
            return NULL;                         \
        }                                        \
    } while (0)

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static status answer(const void *bytes, size_t length, size_t size, void *place, size_t *needed) {
    if (needed) *needed = length;
    if (!place) return 0;
    if (size < length) return INVALID_VALUE;
    memcpy(place, bytes, length);
    return 0;
}

/* ----- what there is ----- */

status clGetPlatformIDs(uint32_t size, handle *platforms, uint32_t *found) {
    FAIL("platforms");
    return NEXT(clGetPlatformIDs)(size, platforms, found);
}

status clGetDeviceIDs(handle platform, uint64_t type, uint32_t size, handle *devices, uint32_t *found) {
    FAIL("devices");
    return NEXT(clGetDeviceIDs)(platform, type, size, devices, found);
}

static void hide_extensions(char *extensions) {
    const char *text = getenv("FAULTY");
    for (text = text ? strstr(text, "hide=") : NULL; text; text = strstr(text, "hide=")) {
        text += strlen("hide=");
        size_t length = strcspn(text, " ");
        for (char *found = extensions; (found = memmem(found, strlen(found), text, length));) {
            int is_start = found == extensions || found[-1] == ' ';
            if (is_start && (found[length] == ' ' || found[length] == 0)) memset(found, ' ', length);
            found += length;
        }
    }
}

status clGetDeviceInfo(handle device, uint32_t what, size_t size, void *place, size_t *needed) {
    if (what == DEVICE_MAX_COMPUTE_UNITS) FAIL("info");
    status result = NEXT(clGetDeviceInfo)(device, what, size, place, needed);
    if (result != 0 || !place) return result;
    if (what == DEVICE_EXTENSIONS) hide_extensions(place);
    if (what == DEVICE_SVM_CAPABILITIES) *(uint64_t *)place &= number("svm", UINT64_MAX);
    if (what == DEVICE_MAX_WORK_ITEM_SIZES) ((size_t *)place)[2] = number("depth", ((size_t *)place)[2]);
    if (what == DEVICE_LOCAL_MEM_SIZE) *(uint64_t *)place = number("local", *(uint64_t *)place);
    return 0;
}

handle clCreateContext(const intptr_t *properties, uint32_t size, const handle *devices, handle notify,
                       void *data, status *result) {
    FAIL_WITH_NULL("context", result);
    return NEXT(clCreateContext)(properties, size, devices, notify, data, result);
}

/* ----- programs ----- */

handle clCreateProgramWithSource(handle context, uint32_t size, const char **texts, const size_t *lengths,
                                 status *result) {
    FAIL_WITH_NULL("source", result);
    const char *change = getenv("FAULTY_CODE");
    const char *arrow = change ? strstr(change, "=>") : NULL;
    const char *found = NULL;
    if (arrow) found = memmem(texts[0], lengths[0], change, (size_t)(arrow - change));
    handle program;
    if (found) {
        size_t before = (size_t)(found - texts[0]), removed = (size_t)(arrow - change);
        size_t added = strlen(arrow + 2), after = lengths[0] - before - removed;
        char *text = malloc(before + added + after);
        memcpy(text, texts[0], before);
        memcpy(text + before, arrow + 2, added);
        memcpy(text + before + added, found + removed, after);
        const char *one = text;
        size_t length = before + added + after;
        program = NEXT(clCreateProgramWithSource)(context, 1, &one, &length, result);
        free(text);
    } else {
        program = NEXT(clCreateProgramWithSource)(context, size, texts, lengths, result);
    }
    if (program) count(1);
    return program;
}

handle clCreateProgramWithBinary(handle context, uint32_t size, const handle *devices, const size_t *lengths,
                                 const unsigned char **binaries, status *statuses, status *result) {
    handle program =
        NEXT(clCreateProgramWithBinary)(context, size, devices, lengths, binaries, statuses, result);
    if (program) count(1);
    return program;
}

status clBuildProgram(handle program, uint32_t size, const handle *devices, const char *options,
                      handle notify, void *data) {
    FAIL("build");
    return NEXT(clBuildProgram)(program, size, devices, options, notify, data);
}

status clGetProgramBuildInfo(handle program, handle device, uint32_t what, size_t size, void *place,
                             size_t *needed) {
    const char *log = getenv("FAULTY_LOG");
    if (what == PROGRAM_BUILD_LOG && log) return answer(log, strlen(log) + 1, size, place, needed);
    return NEXT(clGetProgramBuildInfo)(program, device, what, size, place, needed);
}

status clReleaseProgram(handle program) {
    count(-1);
    return NEXT(clReleaseProgram)(program);
}

handle clCreateKernel(handle program, const char *name, status *result) {
    FAIL_WITH_NULL("kernel", result);
    handle kernel = NEXT(clCreateKernel)(program, name, result);
    if (kernel) count(1);
    return kernel;
}

status clReleaseKernel(handle kernel) {
    count(-1);
    return NEXT(clReleaseKernel)(kernel);
}

status clSetKernelArg(handle kernel, uint32_t position, size_t size, const void *value) {
    FAIL("argument");
    return NEXT(clSetKernelArg)(kernel, position, size, value);
}

status clSetKernelArgSVMPointer(handle kernel, uint32_t position, const void *value) {
    FAIL("argument");
    return NEXT(clSetKernelArgSVMPointer)(kernel, position, value);
}

/* ----- commands ----- */

handle clCreateCommandQueue(handle context, handle device, uint64_t properties, status *result) {
    FAIL_WITH_NULL("queue", result);
    handle queue = NEXT(clCreateCommandQueue)(context, device, properties, result);
    if (queue) count(1);
    return queue;
}

status clReleaseCommandQueue(handle queue) {
    count(-1);
    return NEXT(clReleaseCommandQueue)(queue);
}

status clEnqueueNDRangeKernel(handle queue, handle kernel, uint32_t dims, const size_t *offset,
                              const size_t *global, const size_t *local, uint32_t size,
                              const handle *events, handle *event) {
    FAIL("launch");
    return NEXT(clEnqueueNDRangeKernel)(queue, kernel, dims, offset, global, local, size, events, event);
}

status clFinish(handle queue) {
    FAIL("finish");
    return NEXT(clFinish)(queue);
}

/* ----- memory ----- */

void *clSVMAlloc(handle context, uint64_t flags, size_t size, uint32_t alignment) {
    FAIL_WITH_NULL("allocate", (status *)NULL);
    void *start = NEXT(clSVMAlloc)(context, flags, size, alignment);
    if (start) count(1);
    return start;
}

void clSVMFree(handle context, void *start) {
    count(-1);
    NEXT(clSVMFree)(context, start);
}

status clEnqueueSVMMemcpy(handle queue, uint32_t blocking, void *to, const void *from, size_t bytes,
                          uint32_t size, const handle *events, handle *event) {
    FAIL("copy");
    return NEXT(clEnqueueSVMMemcpy)(queue, blocking, to, from, bytes, size, events, event);
}

status clEnqueueSVMMemFill(handle queue, void *to, const void *pattern, size_t pattern_bytes, size_t bytes,
                           uint32_t size, const handle *events, handle *event) {
    FAIL("fill");
    return NEXT(clEnqueueSVMMemFill)(queue, to, pattern, pattern_bytes, bytes, size, events, event);
}

void *clGetExtensionFunctionAddressForPlatform(handle platform, const char *name);

/* The functions of the USM extension are asked for by platform; one driver has them. */
static handle usm_platform;

static void *usm(const char *name) {
    return NEXT(clGetExtensionFunctionAddressForPlatform)(usm_platform, name);
}

typedef void *(*allocate_function)(handle, handle, const uint64_t *, size_t, uint32_t, status *);

static void *device_alloc(handle context, handle device, const uint64_t *properties, size_t bytes,
                          uint32_t alignment, status *result) {
    FAIL_WITH_NULL("allocate", result);
    allocate_function next = (allocate_function)usm("clDeviceMemAllocINTEL");
    void *start = next(context, device, properties, bytes, alignment, result);
    if (start) count(1);
    return start;
}

static void *shared_alloc(handle context, handle device, const uint64_t *properties, size_t bytes,
                          uint32_t alignment, status *result) {
    FAIL_WITH_NULL("allocate", result);
    allocate_function next = (allocate_function)usm("clSharedMemAllocINTEL");
    void *start = next(context, device, properties, bytes, alignment, result);
    if (start) count(1);
    return start;
}

static void *host_alloc(handle context, const uint64_t *properties, size_t bytes, uint32_t alignment,
                        status *result) {
    FAIL_WITH_NULL("allocate", result);
    void *(*next)(handle, const uint64_t *, size_t, uint32_t, status *) =
        (void *(*)(handle, const uint64_t *, size_t, uint32_t, status *))usm("clHostMemAllocINTEL");
    void *start = next(context, properties, bytes, alignment, result);
    if (start) count(1);
    return start;
}

static status usm_free(handle context, void *start) {
    count(-1);
    return ((status(*)(handle, void *))usm("clMemFreeINTEL"))(context, start);
}

static status usm_copy(handle queue, uint32_t blocking, void *to, const void *from, size_t bytes,
                       uint32_t size, const handle *events, handle *event) {
    FAIL("copy");
    return ((__typeof__(&usm_copy))usm("clEnqueueMemcpyINTEL"))(queue, blocking, to, from, bytes, size,
                                                                events, event);
}

static status usm_fill(handle queue, void *to, const void *pattern, size_t pattern_bytes, size_t bytes,
                       uint32_t size, const handle *events, handle *event) {
    FAIL("fill");
    return ((__typeof__(&usm_fill))usm("clEnqueueMemFillINTEL"))(queue, to, pattern, pattern_bytes, bytes,
                                                                 size, events, event);
}

static status usm_argument(handle kernel, uint32_t position, const void *value) {
    FAIL("argument");
    return ((__typeof__(&usm_argument))usm("clSetKernelArgMemPointerINTEL"))(kernel, position, value);
}

void *clGetExtensionFunctionAddressForPlatform(handle platform, const char *name) {
    static const struct {
        const char *name;
        void *function;
    } own[] = {
        {"clDeviceMemAllocINTEL", (void *)device_alloc}, {"clSharedMemAllocINTEL", (void *)shared_alloc},
        {"clHostMemAllocINTEL", (void *)host_alloc},     {"clMemFreeINTEL", (void *)usm_free},
        {"clEnqueueMemcpyINTEL", (void *)usm_copy},      {"clEnqueueMemFillINTEL", (void *)usm_fill},
        {"clSetKernelArgMemPointerINTEL", (void *)usm_argument},
    };
    void *theirs = NEXT(clGetExtensionFunctionAddressForPlatform)(platform, name);
    for (size_t k = 0; theirs && k < sizeof own / sizeof *own; k++) {
        if (strcmp(own[k].name, name) == 0) {
            usm_platform = platform;
            return own[k].function;
        }
    }
    return theirs;
}
