"""Tables of names of ``dpnp``: which of them are situ's, and how their arguments are called.

Lists are texts with spaces between the names. Nothing here does anything; the files beside it make
modules of it.
"""

__all__ = [
    "ARGUMENTS",
    "FFT",
    "FFT_ARGUMENTS",
    "LINALG",
    "LINALG_ARGUMENTS",
    "OF_NUMPY",
    "SAME",
    "TENSOR",
    "TENSOR_ARGUMENTS",
    "VALUES",
]

# Functions that situ has under the same name.
SAME = (
    "abs absolute acos acosh add all allclose amax amin angle any append arange arccos "
    "arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere around "
    "array array_equal array_equiv array_split asanyarray asarray ascontiguousarray asin "
    "asinh astype atan atan2 atanh atleast_1d atleast_2d atleast_3d average bincount "
    "bitwise_and bitwise_invert bitwise_left_shift bitwise_not bitwise_or "
    "bitwise_right_shift bitwise_xor blackman broadcast_arrays broadcast_shapes "
    "broadcast_to can_cast cbrt ceil choose clip column_stack compress concat concatenate "
    "conj conjugate copysign copyto cos cosh count_nonzero cumprod cumsum cumulative_prod "
    "cumulative_sum deg2rad degrees delete diag diagonal diff digitize divide divmod dot "
    "dsplit dstack einsum empty equal exp exp2 expand_dims expm1 extract eye "
    "fabs finfo fix flatnonzero flip fliplr flipud float_power floor floor_divide fmax fmin "
    "fmod from_dlpack fromfunction full geomspace gradient greater greater_equal "
    "hamming hanning heaviside histogram histogram_bin_edges hsplit hstack hypot identity "
    "iinfo imag indices inner insert interp invert isclose iscomplex iscomplexobj isdtype "
    "isfinite isin isinf isnan isneginf isposinf isreal isrealobj ix_ kron left_shift less "
    "less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not "
    "logical_or logical_xor logspace matmul matrix_transpose max maximum mean median "
    "meshgrid min minimum mod modf moveaxis multiply nan_to_num nanargmax nanargmin "
    "nancumprod nancumsum nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar ndim "
    "negative nextafter nonzero not_equal ones outer pad partition permute_dims "
    "place positive pow power prod ptp put putmask rad2deg radians ravel ravel_multi_index "
    "real reciprocal remainder repeat reshape result_type right_shift rint roll rot90 round "
    "searchsorted select shape sign signbit sin sinc sinh size sort split sqrt square "
    "squeeze stack std subtract sum swapaxes take take_along_axis tan tanh tensordot tile "
    "trace transpose trapezoid tri tril tril_indices triu triu_indices true_divide trunc "
    "unique unique_all unique_counts unique_inverse unique_values unravel_index unstack var "
    "vdot vsplit vstack where zeros "
)

LINALG = (
    "cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul "
    "matrix_norm matrix_power matrix_transpose multi_dot norm outer pinv qr "
    "slogdet solve svdvals tensordot trace vecdot vector_norm "
)

FFT = (
    "fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 "
    "irfftn rfft rfft2 rfftfreq rfftn "
)

TENSOR = (
    "abs acos acosh add all allclose angle any arange argmax argmin argsort asarray asin "
    "asinh astype atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or "
    "bitwise_right_shift bitwise_xor broadcast_arrays broadcast_to can_cast cbrt ceil clip "
    "concat conj copysign cos cosh count_nonzero cumulative_prod cumulative_sum diff divide "
    "empty empty_like equal exp exp2 expand_dims expm1 extract eye finfo flip floor "
    "floor_divide from_dlpack full full_like greater greater_equal hypot iinfo imag isdtype "
    "isfinite isin isinf isnan less less_equal linspace log log10 log1p log2 logaddexp "
    "logical_and logical_not logical_or logical_xor matmul matrix_transpose max maximum "
    "mean meshgrid min minimum moveaxis multiply negative nextafter nonzero not_equal ones "
    "ones_like permute_dims place positive pow prod put real reciprocal remainder repeat "
    "reshape result_type roll round searchsorted sign signbit sin sinh sort sqrt square "
    "squeeze stack std subtract sum swapaxes take take_along_axis tan tanh tensordot tile "
    "tril triu trunc unique_all unique_counts unique_inverse unique_values unstack var "
    "where zeros zeros_like "
)

# Numbers and types that situ has under the same name.
VALUES = (
    "bool complex128 complex64 e float16 float32 float64 inf int16 int32 int64 int8 nan "
    "newaxis pi uint16 uint32 uint64 uint8 "
)

# Types, numbers and functions of texts and types that are NumPy's own, in the peer as well.
OF_NUMPY = (
    "binary_repr bool_ byte cdouble common_type complexfloating csingle double dtype "
    "euler_gamma floating inexact int_ intc integer intp isscalar issubdtype iterable "
    "longlong ndindex number short signedinteger single ubyte uintc uintp ulonglong "
    "unsignedinteger ushort "
)

# Arguments that can be given by position, under the peer's names, where they differ from situ's.
ARGUMENTS = {
    "amax": "a axis out keepdims initial where",
    "amin": "a axis out keepdims initial where",
    "append": "arr values axis",
    "argmax": "a axis out",
    "argmin": "a axis out",
    "argsort": "a axis kind order",
    "argwhere": "a",
    "array": "a dtype",
    "array_split": "ary indices_or_sections axis",
    "asanyarray": "a dtype order",
    "asarray": "a dtype order",
    "ascontiguousarray": "a dtype",
    "average": "a axis weights returned",
    "blackman": "M",
    "broadcast_to": "array shape subok",
    "choose": "a choices out mode",
    "column_stack": "tup",
    "compress": "condition a axis out",
    "copyto": "dst src casting where",
    "count_nonzero": "a axis",
    "cumprod": "a axis dtype out",
    "cumsum": "a axis dtype out",
    "delete": "arr obj axis",
    "diagonal": "a offset axis1 axis2",
    "diff": "a n axis prepend append",
    "dot": "a b out",
    "dsplit": "ary indices_or_sections",
    "dstack": "tup",
    "expand_dims": "a axis",
    "extract": "condition a",
    "eye": "N M k dtype order",
    "finfo": "dtype",
    "flatnonzero": "a",
    "flip": "m axis",
    "fliplr": "m",
    "flipud": "m",
    "hamming": "M",
    "hanning": "M",
    "histogram": "a bins range density weights",
    "histogram_bin_edges": "a bins range weights",
    "hsplit": "ary indices_or_sections",
    "hstack": "tup",
    "iinfo": "dtype",
    "indices": "dimensions dtype sparse device usm_type sycl_queue",
    "inner": "a b",
    "insert": "arr obj values axis",
    "interp": "x xp fp left right period",
    "isin": "element test_elements assume_unique invert",
    "kron": "a b",
    "max": "a axis out keepdims initial where",
    "median": "a axis out overwrite_input keepdims",
    "min": "a axis out keepdims initial where",
    "moveaxis": "a source destination",
    "nanargmax": "a axis out",
    "nanargmin": "a axis out",
    "nancumprod": "a axis dtype out",
    "nancumsum": "a axis dtype out",
    "nanmax": "a axis out keepdims initial where",
    "nanmean": "a axis dtype out keepdims",
    "nanmedian": "a axis out overwrite_input keepdims",
    "nanmin": "a axis out keepdims initial where",
    "nanprod": "a axis dtype out keepdims initial where",
    "nanstd": "a axis dtype out ddof keepdims",
    "nansum": "a axis dtype out keepdims initial where",
    "nanvar": "a axis dtype out ddof keepdims",
    "ndim": "a",
    "nonzero": "a",
    "outer": "a b out",
    "pad": "array pad_width mode",
    "partition": "a kth axis kind order",
    "permute_dims": "a axes",
    "place": "a mask vals",
    "prod": "a axis dtype out keepdims initial where",
    "putmask": "x1 mask values",
    "ravel": "a order",
    "ravel_multi_index": "multi_index dims mode order",
    "repeat": "a repeats axis",
    "reshape": "a shape order",
    "rot90": "m k axes",
    "searchsorted": "a v side sorter",
    "select": "condlist choicelist default",
    "shape": "a",
    "size": "a axis",
    "sort": "a axis kind order",
    "split": "ary indices_or_sections axis",
    "std": "a axis dtype out ddof keepdims",
    "sum": "a axis dtype out keepdims initial where",
    "swapaxes": "a axis1 axis2",
    "take_along_axis": "a indices axis mode",
    "tile": "A reps",
    "trace": "a offset axis1 axis2 dtype out",
    "transpose": "a axes",
    "tri": "N M k dtype",
    "tril_indices": "n k m device usm_type sycl_queue",
    "triu_indices": "n k m device usm_type sycl_queue",
    "unique": "ar return_index return_inverse return_counts axis",
    "unravel_index": "indices shape order",
    "var": "a axis dtype out ddof keepdims",
    "vdot": "a b",
    "vsplit": "ary indices_or_sections",
    "vstack": "tup",
}

LINALG_ARGUMENTS = {
    "det": "a",
    "eig": "a",
    "eigh": "a UPLO",
    "eigvals": "a",
    "eigvalsh": "a UPLO",
    "inv": "a",
    "lstsq": "a b rcond",
    "matrix_power": "a n",
    "pinv": "a rcond hermitian",
    "qr": "a mode",
    "slogdet": "a",
    "solve": "a b",
}

FFT_ARGUMENTS = {
    "fft": "a n axis norm out",
    "fft2": "a s axes norm out",
    "fftn": "a s axes norm out",
    "hfft": "a n axis norm out",
    "ifft": "a n axis norm out",
    "ifft2": "a s axes norm out",
    "ifftn": "a s axes norm out",
    "ihfft": "a n axis norm out",
    "irfft": "a n axis norm out",
    "irfft2": "a s axes norm out",
    "irfftn": "a s axes norm out",
    "rfft": "a n axis norm out",
    "rfft2": "a s axes norm out",
    "rfftn": "a s axes norm out",
}

TENSOR_ARGUMENTS = {
    "allclose": "a1 a2 atol rtol equal_nan",
    "argsort": "x axis descending stable kind",
    "clip": "x min max out order",
    "extract": "condition arr",
    "matmul": "x1 x2 out dtype order",
    "mean": "x axis keepdims",
    "nonzero": "arr",
    "place": "arr mask vals",
    "std": "x axis correction keepdims",
    "swapaxes": "X axis1 axis2",
    "var": "x axis correction keepdims",
    "vecdot": "x1 x2 axis",
}
