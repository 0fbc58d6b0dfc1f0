"""Every public name of `situ`, and the module that defines it.

``__init__.py`` imports a module when one of its names is first used, so that ``import situ`` loads
only what every program needs. A new function is a word in this table;
``tools/make_package_stub.py`` writes ``__init__.pyi`` from it, for type checkers and editors.
"""

__all__ = ["MODULE_OF", "REACHABLE_SUBMODULES", "RENAMED", "SUBMODULES"]

# Names by the module that has them under the same name.
_NAMES = {
    "math": "e inf nan pi",
    "numpy": (
        "complex128 complex64 float16 float32 float64 int16 int32 int64 int8 uint16 uint32 uint64 "
        "uint8"
    ),
    "situ._along_axis": "apply_along_axis apply_over_axes put_along_axis",
    "situ._array_facts": "iscomplexobj isrealobj may_share_memory ndim shape size",
    "situ._blocks": "block",
    "situ._calculus": "gradient interp trapezoid",
    "situ._closeness": "allclose array_equal array_equiv isclose",
    "situ._correlation": "convolve corrcoef correlate cov",
    "situ._counting": "bincount digitize histogram histogram_bin_edges",
    "situ._creation": (
        "arange array asanyarray asarray ascontiguousarray copy empty empty_like eye full "
        "full_like linspace meshgrid ones ones_like tril triu zeros zeros_like"
    ),
    "situ._diagonals": (
        "diag_indices diag_indices_from diagflat fill_diagonal mask_indices tril_indices_from "
        "triu_indices_from"
    ),
    "situ._differences": "diff ediff1d unwrap",
    "situ._dlpack": "from_dlpack",
    "situ._dtype_names": (
        "bool_ byte cdouble complexfloating csingle double dtype euler_gamma floating generic "
        "half inexact int_ intc integer intp isscalar issubdtype iterable long longlong number "
        "promote_types short signedinteger single ubyte uint uintc uintp ulong ulonglong "
        "unsignedinteger ushort"
    ),
    "situ._dtypes": "astype can_cast finfo iinfo isdtype result_type",
    "situ._einsum": "einsum",
    "situ._elementwise": (
        "abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin "
        "asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_not "
        "bitwise_or bitwise_right_shift bitwise_xor cbrt ceil clip conj conjugate copysign cos "
        "cosh deg2rad degrees divide equal exp exp2 expm1 fabs floor floor_divide fmax fmin fmod "
        "greater greater_equal heaviside hypot imag invert iscomplex isfinite isinf isnan "
        "isneginf isposinf isreal left_shift less less_equal log log10 log1p log2 logaddexp "
        "logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum mod multiply "
        "negative nextafter not_equal positive pow power rad2deg radians real reciprocal "
        "remainder right_shift rint sign signbit sin sinc sinh sqrt square subtract tan tanh "
        "true_divide trunc where"
    ),
    "situ._files": "load save savez savez_compressed",
    "situ._grids": (
        "blackman fromfunction geomspace hamming hanning identity indices logspace tri "
        "tril_indices triu_indices"
    ),
    "situ._header": "get_include",
    "situ._histograms": "histogram2d histogramdd",
    "situ._host_data": "host_data_on",
    "situ._indexing": (
        "choose compress copyto extract ix_ place put putmask ravel_multi_index select take "
        "take_along_axis unravel_index"
    ),
    "situ._iteration": "ndenumerate ndindex",
    "situ._kernel": "call_kernel call_kernel_async device_func kernel",
    "situ._linear_algebra": (
        "cross diag diagonal dot inner kron matmul matrix_transpose outer tensordot trace vdot "
        "vecdot"
    ),
    "situ._manipulation": (
        "atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_shapes broadcast_to concat "
        "concatenate expand_dims flip fliplr flipud moveaxis permute_dims ravel repeat reshape "
        "roll rot90 squeeze stack swapaxes tile transpose unstack"
    ),
    "situ._matrix_vector": "matvec vecmat",
    "situ._native": (
        "Context Device DeviceFunction devices Event Kernel ndarray NjitFunction Placement "
        "Platform platforms Queue"
    ),
    "situ._njit": "jit njit prange",
    "situ._number_parts": "bitwise_count frexp gcd lcm ldexp spacing",
    "situ._numbers": "angle around divmod fix float_power modf nan_to_num round",
    "situ._offload": "BoundModule",
    "situ._order_statistics": "median nanmedian nanpercentile nanquantile percentile quantile",
    "situ._packing": "packbits unpackbits",
    "situ._padding": "pad",
    "situ._pieces": "piecewise",
    "situ._placement": "placement_of queues_equivalent",
    "situ._polynomials": (
        "poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots vander"
    ),
    "situ._queue_manager": (
        "current global_queue offload_to QueueManager reset_default_queue reset_global_queue "
        "set_default_queue set_global_queue"
    ),
    "situ._resizing": "resize rollaxis trim_zeros",
    "situ._searching": "argmax argmin argwhere flatnonzero nanargmax nanargmin nonzero",
    "situ._set": (
        "intersect1d isin setdiff1d setxor1d union1d unique unique_all unique_counts "
        "unique_inverse unique_values"
    ),
    "situ._slices": "c_ index_exp mgrid ogrid r_ s_",
    "situ._sorting": "argpartition argsort lexsort partition searchsorted sort sort_complex",
    "situ._stacking": (
        "append array_split column_stack delete dsplit dstack hsplit hstack insert split vsplit "
        "vstack"
    ),
    "situ._statistical": (
        "all amax amin any average count_nonzero cumprod cumsum cumulative_prod cumulative_sum "
        "max mean min nancumprod nancumsum nanmax nanmean nanmin nanprod nanstd nansum nanvar "
        "prod ptp std sum var"
    ),
    "situ._timer": "Timer",
    "situ._windows": "bartlett i0 kaiser",
    "situ._work_items": (
        "barrier get_global_id get_global_linear_id get_global_linear_size get_global_size "
        "get_group_id get_group_linear_id get_local_id get_local_linear_id get_local_linear_size "
        "get_local_size get_num_groups get_work_dim GLOBAL_MEM_FENCE LOCAL_MEM_FENCE mem_fence"
    ),
    "situ.exceptions": (
        "AddressError CacheWarning DeviceError DTypeError DTypeKindError HostAccessError "
        "HostTaskError InternalError KernelAssertionError KernelError KernelIndexError "
        "KernelTypeError LinAlgError OutOfMemoryError PlacementError PlacementWarning ShapeError "
        "SituError SituWarning UnseenFailureWarning"
    ),
    "situ.kernel_api": "NdRange Range",
}

# Names that their module calls differently: the module, and its name for them.
RENAMED = {
    "__array_api_version__": ("situ._namespace", "API_VERSION"),
    "__array_namespace_info__": ("situ._namespace", "ArrayNamespaceInfo"),
    "bool": ("numpy", "bool_"),
}

# Modules that are names of `situ` and of its ``__all__``, and those that are only reachable.
SUBMODULES = ("atomic", "fft", "kernel_api", "linalg", "local", "memory", "private", "random")
REACHABLE_SUBMODULES = ("compat", "exceptions", "testing")

MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}
