# cython: language_level=3, boundscheck=False, wraparound=False
"""A package in Cython that computes where its array is: means of neighbouring elements.

The declarations below are all that Cython needs of `situ.h`: what is not used need not be declared.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc


cdef extern from "situ.h":
    enum:
        SITU_FLOAT64
        SITU_READ
        SITU_WRITE

    ctypedef struct situ_queue:
        pass

    ctypedef struct situ_event:
        pass

    ctypedef struct situ_events:
        pass

    ctypedef struct situ_memory:
        pass

    ctypedef struct situ_array:
        void *pointer
        int32_t dtype
        int32_t ndim
        const int64_t *shape
        const int64_t *strides
        int32_t usm_kind
        situ_memory *memory
        situ_queue *queue

    ctypedef struct situ_use:
        situ_memory *memory
        int32_t access

    ctypedef struct situ_host_call:
        const char *name
        int (*run)(void *data, char *reason, size_t reason_bytes) noexcept nogil
        void *data
        void (*destroy)(void *data) noexcept nogil
        const situ_use *uses
        size_t use_count

    ctypedef struct situ_api:
        situ_array *(*array_from_object)(object) except NULL
        situ_array *(*array_empty)(
            situ_queue *, int32_t, int32_t, const int64_t *, int32_t
        ) except NULL
        object (*array_to_object)(situ_array *)
        situ_array *(*array_retain)(situ_array *) noexcept nogil
        void (*array_release)(situ_array *) noexcept nogil
        int (*enqueue_host_call)(
            situ_queue *, const situ_host_call *, const situ_events *, situ_event **
        ) except -1

    const situ_api *situ_import() except NULL


cdef const situ_api *situ = situ_import()


cdef struct Work:
    situ_array *x
    situ_array *out
    int64_t width


cdef void destroy(void *data) noexcept nogil:
    cdef Work *work = <Work *>data
    situ.array_release(work.x)
    situ.array_release(work.out)
    free(work)


# Runs on a thread of situ's, without the GIL, when `x` is computed.
cdef int run(void *data, char *reason, size_t reason_bytes) noexcept nogil:
    cdef Work *work = <Work *>data
    cdef const double *x = <const double *>work.x.pointer
    cdef double *out = <double *>work.out.pointer
    cdef int64_t step = work.x.strides[0]
    cdef int64_t i, j
    cdef double total
    for i in range(work.out.shape[0]):
        total = 0.0
        for j in range(i, i + work.width):
            total += x[j * step]
        out[i] = total / work.width
    return 0


def moving_mean(x, int64_t width):
    """Return the means of each `width` neighbours in a float64 array of one dimension."""
    cdef situ_array *source = situ.array_from_object(x)
    cdef situ_array *out = NULL
    cdef Work *work = NULL
    cdef situ_use[2] uses
    cdef situ_host_call call
    cdef int64_t count
    try:
        if source.ndim != 1 or source.dtype != SITU_FLOAT64:
            raise TypeError("`moving_mean` takes a float64 array of one dimension")
        if not 1 <= width <= source.shape[0]:
            raise ValueError(f"`width` must be from 1 to {source.shape[0]}, not {width}")
        count = source.shape[0] - width + 1
        out = situ.array_empty(source.queue, SITU_FLOAT64, 1, &count, source.usm_kind)
        work = <Work *>malloc(sizeof(Work))
        if work == NULL:
            raise MemoryError
        work.x = situ.array_retain(source)
        work.out = situ.array_retain(out)
        work.width = width
        uses[0] = situ_use(source.memory, SITU_READ)
        uses[1] = situ_use(out.memory, SITU_WRITE)
        call.name = "moving_mean"
        call.run = run
        call.data = work
        call.destroy = destroy
        call.uses = &uses[0]
        call.use_count = 2
        # From here on the work is situ's to destroy.
        situ.enqueue_host_call(source.queue, &call, NULL, NULL)
        return situ.array_to_object(out)
    finally:
        situ.array_release(out)
        situ.array_release(source)
