/*
 * What tests/interop/test_c_api.py calls to reach every function of situ.h from C. It is compiled
 * as C and as C++.
 *
 * Unlike the examples it hands arguments through without a look, also wrong ones, so that what situ
 * says about them can be tested.
 */
#define PY_SSIZE_T_CLEAN
#include <situ.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const situ_api *situ;

/* How often something of ours was destroyed. */
static long destroyed;

static void count_destroyed(void *context) {
    free(context);
    destroyed++;
}

static PyObject *number_destroyed(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return PyLong_FromLong(destroyed);
}

/* --- what is in the structs --- */

static PyObject *numbers(const int64_t *first, int count) {
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple != NULL && i < count; i++) {
        PyTuple_SetItem(tuple, i, PyLong_FromLongLong(first[i]));
    }
    return tuple;
}

static PyObject *describe_array(PyObject *module, PyObject *object) {
    situ_array *array = situ->array_from_object(object);
    PyObject *description;
    (void)module;
    if (array == NULL) {
        return NULL;
    }
    description = Py_BuildValue(
        "{s:K,s:s,s:N,s:N,s:L,s:i,s:I,s:n,s:K,s:n,s:i}", "pointer",
        (unsigned long long)(uintptr_t)array->pointer, "dtype", situ->dtype_name(array->dtype),
        "shape", numbers(array->shape, array->ndim), "strides",
        numbers(array->strides, array->ndim), "size", (long long)array->size, "usm_kind",
        (int)array->usm_kind, "flags", (unsigned int)array->flags, "byte_offset",
        (Py_ssize_t)array->byte_offset, "memory_pointer",
        (unsigned long long)(uintptr_t)array->memory->pointer, "memory_size",
        (Py_ssize_t)array->memory->size_bytes, "is_queue_of_memory",
        situ->queues_equivalent(array->queue, array->memory->queue));
    situ->array_release(array);
    return description;
}

static PyObject *describe_device(PyObject *module, PyObject *selector) {
    situ_queue *queue = situ->queue_from_object(selector);
    const situ_device *device;
    PyObject *description;
    (void)module;
    if (queue == NULL) {
        return NULL;
    }
    device = situ->queue_device(queue);
    description = Py_BuildValue(
        "{s:s,s:s,s:s,s:s,s:s,s:K,s:K,s:K,s:K,s:I,s:I}", "filter_string", device->filter_string,
        "name", device->name, "backend", device->backend, "device_type", device->device_type,
        "driver_version", device->driver_version, "memory_bytes",
        (unsigned long long)device->memory_bytes, "max_allocation_bytes",
        (unsigned long long)device->max_allocation_bytes, "local_memory_bytes",
        (unsigned long long)device->local_memory_bytes, "max_work_group_size",
        (unsigned long long)device->max_work_group_size, "compute_units",
        (unsigned int)device->compute_units, "aspects", (unsigned int)device->aspects);
    situ->queue_release(queue);
    return description;
}

static PyObject *version(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return Py_BuildValue(
        "IInn", (unsigned int)situ->major, (unsigned int)situ->minor, (Py_ssize_t)situ->size_bytes,
        (Py_ssize_t)sizeof(situ_api));
}

/* --- objects there and back --- */

static PyObject *array_round_trip(PyObject *module, PyObject *object) {
    situ_array *array = situ->array_from_object(object);
    PyObject *result = array == NULL ? NULL : situ->array_to_object(array);
    (void)module;
    situ->array_release(array);
    return result;
}

static PyObject *queue_round_trip(PyObject *module, PyObject *object) {
    situ_queue *queue = situ->queue_from_object(object);
    situ_queue *kept = situ->queue_retain(queue);
    PyObject *result = NULL;
    (void)module;
    situ->queue_release(queue);
    if (kept != NULL) {
        result = situ->queue_to_object(kept);
    }
    situ->queue_release(kept);
    return result;
}

static PyObject *memory_round_trip(PyObject *module, PyObject *object) {
    situ_memory *memory = situ->memory_from_object(object);
    PyObject *result = memory == NULL ? NULL : situ->memory_to_object(memory);
    (void)module;
    situ->memory_release(memory);
    return result;
}

static PyObject *dtype_round_trip(PyObject *module, PyObject *object) {
    int32_t dtype = situ->dtype_from_object(object);
    PyObject *made;
    (void)module;
    if (dtype < 0) {
        return NULL;
    }
    made = situ->dtype_to_object(dtype);
    return made == NULL ? NULL
                        : Py_BuildValue(
                              "isnN", (int)dtype, situ->dtype_name(dtype),
                              (Py_ssize_t)situ->dtype_size(dtype), made);
}

static PyObject *queues_equivalent(PyObject *module, PyObject *arguments) {
    PyObject *one_object, *other_object;
    situ_queue *one, *other;
    int result;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &one_object, &other_object)) {
        return NULL;
    }
    one = situ->queue_from_object(one_object);
    other = one == NULL ? NULL : situ->queue_from_object(other_object);
    if (other == NULL) {
        situ->queue_release(one);
        return NULL;
    }
    result = situ->queues_equivalent(one, other);
    situ->queue_release(one);
    situ->queue_release(other);
    return PyBool_FromLong(result);
}

/* placement(x, y, queue or None) -> (queue, usm kind) */
static PyObject *placement(PyObject *module, PyObject *arguments) {
    static const char *const names[] = {"left", "right"};
    PyObject *objects[2], *queue_object, *result = NULL;
    situ_array *arrays[2] = {NULL, NULL};
    situ_queue *named = NULL, *queue = NULL;
    int32_t usm_kind = -1;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOO", &objects[0], &objects[1], &queue_object)) {
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        arrays[i] = situ->array_from_object(objects[i]);
        if (arrays[i] == NULL) {
            goto done;
        }
    }
    if (queue_object != Py_None) {
        named = situ->queue_from_object(queue_object);
        if (named == NULL) {
            goto done;
        }
    }
    if (situ->placement("probe", names, arrays, 2, named, &queue, &usm_kind) == 0) {
        PyObject *found = situ->queue_to_object(queue);
        result = found == NULL ? NULL : Py_BuildValue("Ni", found, (int)usm_kind);
        situ->queue_release(queue);
    }
done:
    situ->queue_release(named);
    situ->array_release(arrays[0]);
    situ->array_release(arrays[1]);
    return result;
}

/* --- arrays over memory --- */

/* over(memory, dtype, shape, strides or None, byte_offset) */
static PyObject *over(PyObject *module, PyObject *arguments) {
    PyObject *object, *shape_object, *strides_object, *result = NULL;
    int dtype, ndim;
    Py_ssize_t byte_offset;
    int64_t shape[8], strides[8];
    situ_memory *memory;
    situ_array *array;
    (void)module;
    if (!PyArg_ParseTuple(
            arguments, "OiO!On", &object, &dtype, &PyTuple_Type, &shape_object, &strides_object,
            &byte_offset)) {
        return NULL;
    }
    ndim = (int)PyTuple_Size(shape_object);
    for (int i = 0; i < ndim; i++) {
        shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape_object, i));
        strides[i] =
            strides_object == Py_None ? 0 : PyLong_AsLongLong(PyTuple_GetItem(strides_object, i));
    }
    memory = situ->memory_from_object(object);
    if (memory == NULL) {
        return NULL;
    }
    array = situ->array_over(
        memory, NULL, dtype, ndim, shape, strides_object == Py_None ? NULL : strides,
        (size_t)byte_offset);
    if (array != NULL) {
        result = situ->array_to_object(array);
    }
    situ->array_release(array);
    situ->memory_release(memory);
    return result;
}

/* adopt(queue, count): an array of int32 over memory of malloc */
static PyObject *adopt(PyObject *module, PyObject *arguments) {
    PyObject *selector, *result = NULL;
    Py_ssize_t count;
    situ_queue *queue;
    situ_memory *memory;
    situ_array *array = NULL;
    int32_t *elements;
    int64_t shape;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "On", &selector, &count)) {
        return NULL;
    }
    queue = situ->queue_from_object(selector);
    if (queue == NULL) {
        return NULL;
    }
    elements = (int32_t *)malloc((size_t)count * sizeof *elements);
    for (Py_ssize_t i = 0; i < count; i++) {
        elements[i] = (int32_t)i;
    }
    shape = count;
    memory = situ->memory_adopt(
        queue, elements, (size_t)count * sizeof *elements, count_destroyed, elements);
    if (memory != NULL) {
        array = situ->array_over(memory, queue, SITU_INT32, 1, &shape, NULL, 0);
    }
    if (array != NULL) {
        result = situ->array_to_object(array);
    }
    situ->array_release(array);
    situ->memory_release(memory);
    situ->queue_release(queue);
    return result;
}

/* --- work --- */

typedef struct {
    int code;
    char text[64];
} task;

static int run_task(void *data, char *reason, size_t reason_bytes) {
    const task *what = (const task *)data;
    if (what->text[0] != '\0') {
        snprintf(reason, reason_bytes, "%s", what->text);
    }
    return what->code;
}

/* host_call(array, access, code, text) -> event */
static PyObject *host_call(PyObject *module, PyObject *arguments) {
    PyObject *object, *result = NULL;
    const char *text;
    int access, code;
    situ_array *array;
    situ_event *event = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Oiis", &object, &access, &code, &text)) {
        return NULL;
    }
    array = situ->array_from_object(object);
    if (array != NULL) {
        task *what = (task *)calloc(1, sizeof *what);
        situ_use use = {array->memory, access};
        situ_host_call call = {"probe", run_task, what, count_destroyed, &use, 1};
        what->code = code;
        snprintf(what->text, sizeof what->text, "%s", text);
        if (situ->enqueue_host_call(array->queue, &call, NULL, &event) == 0) {
            result = situ->event_to_object(event);
        }
    }
    situ->event_release(event);
    situ->array_release(array);
    return result;
}

/* shift(array, count): writes bytes to the host and back, three commands that wait for each other
 * by events */
static PyObject *there_and_back(PyObject *module, PyObject *arguments) {
    PyObject *from_object, *to_object, *result = NULL;
    situ_array *from = NULL, *to = NULL;
    situ_event *first = NULL, *second = NULL, *third = NULL;
    char *bytes = NULL;
    size_t size;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &to_object, &from_object)) {
        return NULL;
    }
    from = situ->array_from_object(from_object);
    to = from == NULL ? NULL : situ->array_from_object(to_object);
    if (to == NULL) {
        goto done;
    }
    size = (size_t)from->size * situ->dtype_size(from->dtype);
    bytes = (char *)malloc(size);
    {
        situ_place source = {from->memory, from->byte_offset},
                   target = {to->memory, to->byte_offset};
        if (situ->enqueue_copy_to_host(from->queue, bytes, source, size, NULL, &first) == 0) {
            situ_events after_first = {&first, 1};
            if (situ->enqueue_fill(to->queue, target, size, 255, &after_first, &second) == 0) {
                situ_events after_second = {&second, 1};
                if (situ->enqueue_copy_from_host(
                        to->queue, target, bytes, size, &after_second, &third) == 0 &&
                    situ->event_wait(third) == 0) {
                    result = PyBool_FromLong(
                        situ->event_is_complete(first) && situ->event_is_complete(third));
                }
            }
        }
        if (result == NULL) {
            PyObject *type, *value, *traceback;
            PyErr_Fetch(&type, &value, &traceback);
            if (situ->queue_wait(from->queue) < 0) {
                PyErr_Clear();
            }
            PyErr_Restore(type, value, traceback);
        }
    }
done:
    free(bytes);
    situ->event_release(first);
    situ->event_release(second);
    situ->event_release(third);
    situ->array_release(from);
    situ->array_release(to);
    return result;
}

/* copy(to, from, size_bytes) -> event */
static PyObject *copy(PyObject *module, PyObject *arguments) {
    PyObject *from_object, *to_object, *result = NULL;
    Py_ssize_t size_bytes;
    situ_array *from, *to;
    situ_event *event = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOn", &to_object, &from_object, &size_bytes)) {
        return NULL;
    }
    from = situ->array_from_object(from_object);
    to = from == NULL ? NULL : situ->array_from_object(to_object);
    if (to != NULL) {
        situ_place source = {from->memory, from->byte_offset},
                   target = {to->memory, to->byte_offset};
        if (situ->enqueue_copy(to->queue, target, source, (size_t)size_bytes, NULL, &event) == 0) {
            result = situ->event_to_object(event);
        }
    }
    situ->event_release(event);
    situ->array_release(from);
    situ->array_release(to);
    return result;
}

/* launch(kernel, range, arguments, queue or None) -> event */
static PyObject *launch(PyObject *module, PyObject *arguments) {
    PyObject *kernel, *range, *values, *queue_object, *result = NULL;
    situ_queue *queue = NULL;
    situ_event *event = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOO", &kernel, &range, &values, &queue_object)) {
        return NULL;
    }
    if (queue_object != Py_None) {
        queue = situ->queue_from_object(queue_object);
        if (queue == NULL) {
            return NULL;
        }
    }
    if (situ->enqueue_kernel(kernel, range, values, queue, NULL, &event) == 0) {
        result = situ->event_to_object(event);
    }
    situ->event_release(event);
    situ->queue_release(queue);
    return result;
}

/* barrier(event): a barrier on the default queue after an event */
static PyObject *barrier(PyObject *module, PyObject *object) {
    situ_event *earlier = situ->event_from_object(object), *event = NULL;
    situ_queue *queue = earlier == NULL ? NULL : situ->queue_from_object(NULL);
    PyObject *result = NULL;
    (void)module;
    if (queue != NULL) {
        situ_events after = {&earlier, 1};
        if (situ->enqueue_barrier(queue, &after, &event) == 0) {
            situ_event *kept = situ->event_retain(event);
            result = situ->event_to_object(kept);
            situ->event_release(kept);
        }
    }
    situ->event_release(event);
    situ->event_release(earlier);
    situ->queue_release(queue);
    return result;
}

/* wait(object, access): waits for memory; share(object): shares it */
static PyObject *wait_for_memory(PyObject *module, PyObject *arguments) {
    PyObject *object;
    int access, status;
    situ_memory *memory, *kept;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Oi", &object, &access)) {
        return NULL;
    }
    memory = situ->memory_from_object(object);
    if (memory == NULL) {
        return NULL;
    }
    kept = situ->memory_retain(memory);
    situ->memory_release(memory);
    status = situ->memory_wait(kept, access);
    situ->memory_release(kept);
    if (status < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *share(PyObject *module, PyObject *object) {
    situ_memory *memory = situ->memory_from_object(object);
    int status;
    (void)module;
    if (memory == NULL) {
        return NULL;
    }
    status = situ->memory_share(memory);
    situ->memory_release(memory);
    if (status < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* --- mistakes --- */

static PyObject *status_of(int status) {
    if (status < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* mistake(number): one of many calls with an argument that cannot be */
static PyObject *mistake(PyObject *module, PyObject *number) {
    situ_queue *queue = situ->queue_from_object(NULL);
    situ_memory *memory = situ->memory_allocate(queue, 64, SITU_SHARED);
    situ_place place = {memory, 0}, nowhere = {NULL, 0}, outside = {memory, 60};
    situ_host_call empty;
    situ_use no_memory = {NULL, SITU_READ};
    int64_t negative = -1, four = 4;
    void *made = NULL;
    PyObject *result = NULL;
    (void)module;
    memset(&empty, 0, sizeof empty);
    switch (PyLong_AsLong(number)) {
    case 0: result = status_of(situ->queue_wait(NULL)); break;
    case 1: result = situ->queue_to_object(NULL); break;
    case 2: result = status_of(situ->event_wait(NULL)); break;
    case 3: made = situ->memory_allocate(NULL, 8, SITU_SHARED); break;
    case 4: made = situ->memory_allocate(queue, 8, 3); break;
    case 5: made = situ->array_from_object(NULL); break;
    case 6: made = situ->array_empty(queue, 14, 0, NULL, SITU_DEVICE); break;
    case 7: made = situ->array_empty(queue, -1, 0, NULL, SITU_DEVICE); break;
    case 8: made = situ->array_empty(queue, SITU_INT8, 1, NULL, SITU_DEVICE); break;
    case 9: made = situ->array_empty(queue, SITU_INT8, -1, NULL, SITU_DEVICE); break;
    case 10: made = situ->array_empty(queue, SITU_INT8, 1, &negative, SITU_DEVICE); break;
    case 11: made = situ->array_over(memory, NULL, SITU_FLOAT64, 1, &four, NULL, 4); break;
    case 12: made = situ->memory_adopt(queue, NULL, 8, NULL, NULL); break;
    case 13: result = status_of(situ->enqueue_fill(queue, nowhere, 1, 0, NULL, NULL)); break;
    case 14:
        result = status_of(situ->enqueue_copy_from_host(queue, place, NULL, 1, NULL, NULL));
        break;
    case 15:
        result = status_of(situ->enqueue_copy_to_host(queue, NULL, place, 1, NULL, NULL));
        break;
    case 16: result = status_of(situ->enqueue_host_call(queue, NULL, NULL, NULL)); break;
    case 17: result = status_of(situ->enqueue_host_call(queue, &empty, NULL, NULL)); break;
    case 18:
        empty.run = run_task;
        result = status_of(situ->enqueue_host_call(queue, &empty, NULL, NULL));
        break;
    case 19:
        empty.name = "probe", empty.run = run_task, empty.uses = &no_memory, empty.use_count = 1;
        result = status_of(situ->enqueue_host_call(queue, &empty, NULL, NULL));
        break;
    case 20:
        empty.name = "\xff", empty.run = run_task;
        result = status_of(situ->enqueue_host_call(queue, &empty, NULL, NULL));
        break;
    case 21: result = status_of(situ->memory_wait(memory, 2)); break;
    case 22: result = status_of(situ->placement("probe", NULL, NULL, 0, NULL, NULL, NULL)); break;
    case 23: result = status_of(situ->enqueue_kernel(NULL, NULL, NULL, NULL, NULL, NULL)); break;
    case 24: result = situ->dtype_to_object(99); break;
    case 25: result = status_of(situ->enqueue_fill(queue, outside, 5, 0, NULL, NULL)); break;
    case 26: made = situ->array_over(memory, NULL, SITU_FLOAT64, 1, &four, NULL, 40); break;
    default: PyErr_SetString(PyExc_StopIteration, "no more mistakes"); break;
    }
    if (made != NULL) {
        PyErr_SetString(PyExc_AssertionError, "that should not have worked");
    }
    situ->memory_release(memory);
    situ->queue_release(queue);
    return result;
}

/* Functions that cannot fail take NULL. */
static PyObject *nothing(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    situ->queue_release(NULL);
    situ->event_release(NULL);
    situ->memory_release(NULL);
    situ->array_release(NULL);
    return PyBool_FromLong(
        situ->queue_retain(NULL) == NULL && situ->queue_device(NULL) == NULL &&
        situ->event_is_complete(NULL) == 1 && situ->queues_equivalent(NULL, NULL) == 0 &&
        situ->dtype_name(-1) == NULL && situ->dtype_size(14) == 0);
}

static PyMethodDef methods[] = {
    {"number_destroyed", number_destroyed, METH_NOARGS, NULL},
    {"describe_array", describe_array, METH_O, NULL},
    {"describe_device", describe_device, METH_O, NULL},
    {"version", version, METH_NOARGS, NULL},
    {"array_round_trip", array_round_trip, METH_O, NULL},
    {"queue_round_trip", queue_round_trip, METH_O, NULL},
    {"memory_round_trip", memory_round_trip, METH_O, NULL},
    {"dtype_round_trip", dtype_round_trip, METH_O, NULL},
    {"queues_equivalent", queues_equivalent, METH_VARARGS, NULL},
    {"placement", placement, METH_VARARGS, NULL},
    {"over", over, METH_VARARGS, NULL},
    {"adopt", adopt, METH_VARARGS, NULL},
    {"host_call", host_call, METH_VARARGS, NULL},
    {"there_and_back", there_and_back, METH_VARARGS, NULL},
    {"copy", copy, METH_VARARGS, NULL},
    {"launch", launch, METH_VARARGS, NULL},
    {"barrier", barrier, METH_O, NULL},
    {"wait_for_memory", wait_for_memory, METH_VARARGS, NULL},
    {"share", share, METH_O, NULL},
    {"mistake", mistake, METH_O, NULL},
    {"nothing", nothing, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "c_api_probe", NULL, -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_c_api_probe(void) {
    situ = situ_import();
    return situ == NULL ? NULL : PyModule_Create(&definition);
}
