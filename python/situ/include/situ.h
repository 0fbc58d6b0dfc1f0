/*
 * The C interface of situ, for C, C++, Cython and whatever else can call C.
 *
 * With it a native package takes arrays, queues and USM pointers from any Python object, submits
 * work in its turn among the kernels that use the same arrays, and returns arrays. Nothing has to
 * be linked: the functions are in a table that comes in a capsule. The folder of this file is
 * `situ.get_include()`.
 *
 *     #include <situ.h>
 *
 *     static const situ_api *situ;
 *
 *     PyMODINIT_FUNC PyInit_mypackage(void) {
 *         situ = situ_import();
 *         if (situ == NULL) return NULL;
 *         ...
 *     }
 *
 * Failure. A function fails as those of Python do: it returns -1, or NULL, and leaves an exception.
 *
 * Handles. `situ_queue`, `situ_event`, `situ_memory` and `situ_array` are objects of situ that
 * count their holders. A function that returns one, or stores one behind a pointer, makes its
 * caller a holder, who calls `..._release` once. What is found in a field of a struct belongs to
 * that struct: call `..._retain` to keep it longer. `..._release(NULL)` does nothing. Structs with
 * fields are made by situ only, and never change.
 *
 * Threads. Functions need the GIL, and release it while they wait or submit. These can be called at
 * any time from any thread, with the GIL or without: all `..._retain` and `..._release`, and those
 * marked "no GIL".
 *
 * Versions. The table only grows at its end, and structs made by situ grow at theirs. A package
 * runs with any situ whose table has the functions it was compiled with; `situ_import` checks that.
 * Define SITU_REQUIRED_MINOR before the #include to compile with a newer header than you need.
 */
#ifndef SITU_H
#define SITU_H

#include <Python.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the interface that this header describes. */
#define SITU_API_MAJOR 1
#define SITU_API_MINOR 0

/* The oldest version that has all that is used. */
#ifndef SITU_REQUIRED_MINOR
#define SITU_REQUIRED_MINOR SITU_API_MINOR
#endif

/* What elements are. */
enum {
    SITU_BOOL = 0, /* one byte, 0 or 1 */
    SITU_INT8 = 1,
    SITU_INT16 = 2,
    SITU_INT32 = 3,
    SITU_INT64 = 4,
    SITU_UINT8 = 5,
    SITU_UINT16 = 6,
    SITU_UINT32 = 7,
    SITU_UINT64 = 8,
    SITU_FLOAT16 = 9, /* IEEE binary16 */
    SITU_FLOAT32 = 10,
    SITU_FLOAT64 = 11,
    SITU_COMPLEX64 = 12, /* two float */
    SITU_COMPLEX128 = 13 /* two double */
};

/* Where memory lives. The kind of a result is the lowest of its arguments' kinds. */
enum {
    SITU_DEVICE = 0, /* on the device; the host need not be able to read it */
    SITU_SHARED = 1, /* moves between host and device */
    SITU_HOST = 2    /* on the host */
};

/* How work uses memory. */
enum {
    SITU_READ = 0,
    SITU_WRITE = 1 /* and perhaps reads, too */
};

/* Bits of `flags`. */
enum {
    SITU_READ_ONLY = 1, /* must not be written */
    SITU_HOST_ACCESSIBLE =
        2,              /* the host may use the pointer; without it, reading may end the process */
    SITU_CONTIGUOUS = 4 /* of arrays: in C order without gaps */
};

/* Bits of `aspects`. */
enum {
    SITU_ASPECT_FP16 = 1,
    SITU_ASPECT_FP64 = 2,
    SITU_ASPECT_ATOMIC64 = 4,
    SITU_ASPECT_USM_DEVICE = 8,
    SITU_ASPECT_USM_SHARED = 16,
    SITU_ASPECT_USM_HOST = 32,
    SITU_ASPECT_USM_SYSTEM = 64, /* kernels can use any memory of the process */
    SITU_ASPECT_EMULATED = 128   /* it stands in for other hardware */
};

typedef struct situ_queue situ_queue;
typedef struct situ_event situ_event;

/* What is known about the device of a queue. It lives as long as the handle it was asked from. */
typedef struct situ_device {
    const char *filter_string; /* such as "opencl:gpu:0" */
    const char *name;
    const char *backend;     /* "native", "opencl", "sycl", ... */
    const char *device_type; /* "cpu", "gpu" or "accelerator" */
    const char *driver_version;
    uint64_t memory_bytes;
    uint64_t max_allocation_bytes;
    uint64_t local_memory_bytes;
    uint64_t max_work_group_size;
    uint32_t compute_units;
    uint32_t aspects;
} situ_device;

/* USM bytes. */
typedef struct situ_memory {
    void *pointer;
    size_t size_bytes;
    int32_t usm_kind;
    uint32_t flags;
    situ_queue *queue; /* where it came from; belongs to this struct */
} situ_memory;

/* Elements in USM memory. */
typedef struct situ_array {
    void *pointer; /* the first element, at index (0, 0, ...) */
    int32_t dtype;
    int32_t ndim;
    const int64_t *shape;
    const int64_t *strides; /* in elements; may be negative or 0 */
    int64_t size;           /* the number of elements */
    int32_t usm_kind;
    uint32_t flags;
    size_t byte_offset;  /* of the first element in the memory */
    situ_memory *memory; /* belongs to this struct */
    situ_queue *queue;   /* belongs to this struct */
} situ_array;

/* A place in memory. */
typedef struct situ_place {
    situ_memory *memory;
    size_t byte_offset;
} situ_place;

/* What new work waits for. Where a function takes a pointer to this, NULL means the work that uses
 * the same memory, which is what you want unless you know better; anything else means exactly these
 * events. On an in-order queue, which is the default, work also comes after what was submitted
 * there before. */
typedef struct situ_events {
    situ_event *const *events;
    size_t count;
} situ_events;

/* Memory that a host call uses, and how: SITU_READ or SITU_WRITE. */
typedef struct situ_use {
    situ_memory *memory;
    int32_t access;
} situ_use;

/* A function of yours that runs as a command of a queue. */
typedef struct situ_host_call {
    /* What messages call it. */
    const char *name;
    /* Does the work and returns 0; or another number, with the reason in `reason` if it likes, of
     * at most `reason_bytes` bytes with the zero at the end. It runs once on a thread of situ's,
     * without the GIL. It may block and share its work among threads of its own; it must not wait
     * for the queue it was submitted to, nor throw. */
    int (*run)(void *data, char *reason, size_t reason_bytes);
    /* What it is called with. */
    void *data;
    /* Frees `data`, or NULL. It is called exactly once: when `run` has returned, when it turns out
     * that it will not be called, and also if the submission itself fails. Any thread may call it,
     * with the GIL or without. */
    void (*destroy)(void *data);
    /* All memory that it uses. The memory lives until `run` has returned, also if nobody else keeps
     * it. */
    const situ_use *uses;
    size_t use_count;
} situ_host_call;

/* The functions. Arguments are not NULL unless it is said. */
typedef struct situ_api {
    size_t size_bytes;
    uint32_t major;
    uint32_t minor;

    /* --- queues --- */

    /* The queue that an object stands for: a situ.Queue, a selector such as "gpu:1", a device, a
     * queue of dpctl, anything with USM memory (the queue it came from); or the current default
     * queue for None and NULL. */
    situ_queue *(*queue_from_object)(PyObject *selector);
    /* A situ.Queue. A new reference. */
    PyObject *(*queue_to_object)(situ_queue *queue);
    situ_queue *(*queue_retain)(situ_queue *queue);
    void (*queue_release)(situ_queue *queue);
    /* 1 if work may go to either with the same effect: same context, device and properties. No GIL.
     */
    int (*queues_equivalent)(situ_queue *one, situ_queue *other);
    /* Never NULL for a queue. No GIL. */
    const situ_device *(*queue_device)(situ_queue *queue);
    /* Returns when everything submitted so far has ended, and tells what went wrong since the last
     * wait. */
    int (*queue_wait)(situ_queue *queue);

    /* --- events --- */

    /* The event of a situ.Event. */
    situ_event *(*event_from_object)(PyObject *object);
    /* A situ.Event. A new reference. */
    PyObject *(*event_to_object)(situ_event *event);
    situ_event *(*event_retain)(situ_event *event);
    void (*event_release)(situ_event *event);
    /* 1 if the work has ended, well or not. No GIL. */
    int (*event_is_complete)(situ_event *event);
    /* Returns when the work has ended, and tells what went wrong. */
    int (*event_wait)(situ_event *event);

    /* --- memory --- */

    /* New USM memory, its contents undefined. It goes back to its pool when neither handles nor
     * unfinished work use it. */
    situ_memory *(*memory_allocate)(situ_queue *queue, size_t size_bytes, int32_t usm_kind);
    /* The memory that an object is, or views: a situ array, a situ.memory.Allocation, anything with
     * `__sycl_usm_array_interface__`. */
    situ_memory *(*memory_from_object)(PyObject *object);
    /* Memory of yours, used in place: memory of the host for a device with SITU_ASPECT_USM_SYSTEM,
     * USM memory of its context for a device of the backend "sycl". `deleter(context)` is called
     * exactly once when situ does not need it any more, and also if this fails; by any thread, with
     * the GIL or without. It may be NULL. */
    situ_memory *(*memory_adopt)(
        situ_queue *queue, void *pointer, size_t size_bytes, void (*deleter)(void *context),
        void *context);
    /* A situ.memory.Allocation. A new reference. */
    PyObject *(*memory_to_object)(situ_memory *memory);
    situ_memory *(*memory_retain)(situ_memory *memory);
    void (*memory_release)(situ_memory *memory);
    /* Returns when the host may read the memory (SITU_READ), or write it (SITU_WRITE), because the
     * work that is in the way has ended. Later work does not wait for you: prefer a host call. */
    int (*memory_wait)(situ_memory *memory, int32_t access);
    /* Says that from now on code that situ knows nothing of uses the memory by its address, on a
     * queue of SYCL for example. Work that uses the memory has ended then when its submission
     * returns. */
    int (*memory_share)(situ_memory *memory);

    /* --- arrays --- */

    /* The array that an object is, over its memory: a situ array, or anything with
     * `__sycl_usm_array_interface__`. What is in memory of the host only (NumPy) is a TypeError,
     * because nothing is copied behind the user's back. */
    situ_array *(*array_from_object)(PyObject *object);
    /* A new array in C order, its elements undefined. */
    situ_array *(*array_empty)(
        situ_queue *queue, int32_t dtype, int32_t ndim, const int64_t *shape, int32_t usm_kind);
    /* An array over memory. `strides` are in elements; NULL means C order. `queue` is one of the
     * memory's context; NULL means the one the memory came from. */
    situ_array *(*array_over)(
        situ_memory *memory, situ_queue *queue, int32_t dtype, int32_t ndim, const int64_t *shape,
        const int64_t *strides, size_t byte_offset);
    /* A situ.ndarray over the same memory. A new reference. */
    PyObject *(*array_to_object)(situ_array *array);
    situ_array *(*array_retain)(situ_array *array);
    void (*array_release)(situ_array *array);
    /* Compute follows data: the queue that runs a function of these arrays, and the kind of memory
     * its result gets. With `named_queue`, which may be NULL, that queue, if it can use all of
     * them. `names` are those of your parameters, for the situ.PlacementError that tells which
     * argument is where. `queue` and `usm_kind` are where the answers go; either may be NULL. */
    int (*placement)(
        const char *operation, const char *const *names, situ_array *const *arrays, size_t count,
        situ_queue *named_queue, situ_queue **queue, int32_t *usm_kind);

    /* --- work --- */
    /* All return as soon as the work is submitted, or done if it is brief. `after` says what it
     * waits for; see situ_events. `event` is where a handle of the work goes, or NULL. What goes
     * wrong later is told by the next wait for the event or the queue, or when somebody reads the
     * result. */

    /* Copies bytes to memory of the queue's context from memory of any; they may overlap. */
    int (*enqueue_copy)(
        situ_queue *queue, situ_place to, situ_place from, size_t size_bytes,
        const situ_events *after, situ_event **event);
    /* Sets bytes. */
    int (*enqueue_fill)(
        situ_queue *queue, situ_place to, size_t size_bytes, uint8_t value,
        const situ_events *after, situ_event **event);
    /* Copies bytes of the host. They must stay as they are until the event has ended. */
    int (*enqueue_copy_from_host)(
        situ_queue *queue, situ_place to, const void *source, size_t size_bytes,
        const situ_events *after, situ_event **event);
    /* Copies bytes to the host. They must be left alone until the event has ended. */
    int (*enqueue_copy_to_host)(
        situ_queue *queue, void *destination, situ_place from, size_t size_bytes,
        const situ_events *after, situ_event **event);
    /* What is submitted to the queue later waits for `after`, or for everything so far if that is
     * NULL. */
    int (*enqueue_barrier)(situ_queue *queue, const situ_events *after, situ_event **event);
    /* Runs a function of yours in its turn. Memory it uses must be SITU_HOST_ACCESSIBLE, or this is
     * a situ.HostAccessError. */
    int (*enqueue_host_call)(
        situ_queue *queue, const situ_host_call *call, const situ_events *after,
        situ_event **event);
    /* Launches a situ.Kernel over a range: what the kernel takes in brackets. `arguments` is a
     * tuple, or NULL. `queue` may be NULL: then it is the queue that the arrays agree on. */
    int (*enqueue_kernel)(
        PyObject *kernel, PyObject *range, PyObject *arguments, situ_queue *queue,
        const situ_events *after, situ_event **event);

    /* --- dtypes --- */

    /* The dtype that NumPy understands by an object; -1 and an exception if situ has none such. */
    int32_t (*dtype_from_object)(PyObject *object);
    /* A numpy.dtype. A new reference. */
    PyObject *(*dtype_to_object)(int32_t dtype);
    /* NumPy's name, or NULL. It lives for ever. No GIL. */
    const char *(*dtype_name)(int32_t dtype);
    /* How many bytes an element has, or 0. No GIL. */
    size_t (*dtype_size)(int32_t dtype);
} situ_api;

/* Imports situ and returns its functions; NULL and an exception if there is no situ, or one that
 * does not fit this header. Call it with the GIL, when your module is imported. The table lives as
 * long as the process. */
static inline const situ_api *situ_import(void) {
    const situ_api *api = NULL;
    PyObject *capsule;
    PyObject *module = PyImport_ImportModule("situ._native");
    if (module == NULL) {
        return NULL;
    }
    capsule = PyObject_GetAttrString(module, "_C_API_V1");
    Py_DECREF(module);
    if (capsule == NULL) {
        PyErr_Clear();
        PyErr_SetString(
            PyExc_ImportError, "the installed situ has no C interface of version 1\n"
                               "  why:  this package was compiled for that version\n"
                               "  help: install another version of situ, or of this package");
        return NULL;
    }
    api = (const situ_api *)PyCapsule_GetPointer(capsule, "situ.c_api.v1");
    Py_DECREF(capsule);
    if (api != NULL && (int)api->minor < SITU_REQUIRED_MINOR) {
        PyErr_Format(
            PyExc_ImportError,
            "the installed situ has the C interface %d.%d, and %d.%d is needed\n"
            "  why:  this package was compiled with the `situ.h` of a newer situ\n"
            "  help: pip install --upgrade situ",
            (int)api->major, (int)api->minor, SITU_API_MAJOR, SITU_REQUIRED_MINOR);
        return NULL;
    }
    return api;
}

#ifdef __cplusplus
}
#endif

#endif /* SITU_H */
