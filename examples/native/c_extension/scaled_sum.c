/*
 * A package in C that computes where its arrays are: `scaled_sum(x, y, scale)` is `x + scale * y`.
 *
 * The arrays come as Python objects: situ's, or those of any library with
 * `__sycl_usm_array_interface__`. The work is a command of their queue, after the kernels that
 * compute them and before those that use the result. Nothing waits here.
 */
#define PY_SSIZE_T_CLEAN
#include <situ.h>
#include <stdlib.h>

static const situ_api *situ;

/* What the host call needs. It holds the arrays, and so their shapes and strides. */
typedef struct {
    situ_array *x;
    situ_array *y;
    situ_array *out;
    double scale;
} scaled_sum_work;

static void destroy(void *data) {
    scaled_sum_work *work = (scaled_sum_work *)data;
    situ->array_release(work->x);
    situ->array_release(work->y);
    situ->array_release(work->out);
    free(work);
}

/* Elements along one dimension, and all that the dimensions behind it add to them. */
static void add_along(
    const scaled_sum_work *work, int dimension, const double *x, const double *y, double **out) {
    if (dimension == work->x->ndim) {
        *(*out)++ = *x + work->scale * *y;
        return;
    }
    for (int64_t i = 0; i < work->x->shape[dimension]; i++) {
        add_along(work, dimension + 1, x, y, out);
        x += work->x->strides[dimension];
        y += work->y->strides[dimension];
    }
}

/* Runs on a thread of situ's, without the GIL, when `x` and `y` are computed. */
static int run(void *data, char *reason, size_t reason_bytes) {
    const scaled_sum_work *work = (const scaled_sum_work *)data;
    double *out = (double *)work->out->pointer;
    (void)reason, (void)reason_bytes;
    add_along(work, 0, (const double *)work->x->pointer, (const double *)work->y->pointer, &out);
    return 0;
}

/* Whether both are float64 of one shape; an exception if not. */
static int check(const situ_array *x, const situ_array *y) {
    int is_same = x->ndim == y->ndim;
    for (int i = 0; is_same && i < x->ndim; i++) {
        is_same = x->shape[i] == y->shape[i];
    }
    if (!is_same) {
        PyErr_SetString(PyExc_ValueError, "`x` and `y` have different shapes");
        return -1;
    }
    if (x->dtype != SITU_FLOAT64 || y->dtype != SITU_FLOAT64) {
        PyErr_Format(
            PyExc_TypeError, "`x` and `y` must be float64, and are %s and %s",
            situ->dtype_name(x->dtype), situ->dtype_name(y->dtype));
        return -1;
    }
    return 0;
}

/* Submits the work, and returns the array that it will write. */
static PyObject *submit(situ_array *x, situ_array *y, double scale) {
    static const char *const names[] = {"x", "y"};
    situ_array *arrays[] = {x, y};
    situ_queue *queue;
    situ_array *out;
    scaled_sum_work *work;
    PyObject *result = NULL;
    int32_t usm_kind;

    if (check(x, y) < 0 ||
        situ->placement("scaled_sum", names, arrays, 2, NULL, &queue, &usm_kind) < 0) {
        return NULL;
    }
    out = situ->array_empty(queue, SITU_FLOAT64, x->ndim, x->shape, usm_kind);
    work = (scaled_sum_work *)malloc(sizeof *work);
    if (out != NULL && work != NULL) {
        situ_use uses[] = {
            {x->memory, SITU_READ}, {y->memory, SITU_READ}, {out->memory, SITU_WRITE}};
        situ_host_call call = {"scaled_sum", run, work, destroy, uses, 3};
        work->x = situ->array_retain(x);
        work->y = situ->array_retain(y);
        work->out = situ->array_retain(out);
        work->scale = scale;
        /* From here on the work is situ's to destroy. */
        if (situ->enqueue_host_call(queue, &call, NULL, NULL) == 0) {
            result = situ->array_to_object(out);
        }
    } else {
        free(work);
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
    }
    situ->array_release(out);
    situ->queue_release(queue);
    return result;
}

static PyObject *scaled_sum(PyObject *module, PyObject *arguments) {
    PyObject *x_object, *y_object, *result = NULL;
    situ_array *x, *y = NULL;
    double scale = 1.0;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO|d", &x_object, &y_object, &scale)) {
        return NULL;
    }
    x = situ->array_from_object(x_object);
    if (x != NULL) {
        y = situ->array_from_object(y_object);
    }
    if (y != NULL) {
        result = submit(x, y, scale);
    }
    situ->array_release(y);
    situ->array_release(x);
    return result;
}

static PyMethodDef methods[] = {
    {"scaled_sum", scaled_sum, METH_VARARGS,
     "scaled_sum(x, y, scale=1.0): x + scale * y, where x and y are."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "scaled_sum",
    "An example of a native package over situ.",
    -1,
    methods,
    NULL,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit_scaled_sum(void) {
    situ = situ_import();
    return situ == NULL ? NULL : PyModule_Create(&definition);
}
