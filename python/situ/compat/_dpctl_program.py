"""The names of ``dpctl.program``: kernels in OpenCL C and SPIR-V, which situ does not take."""

import situ
from situ.compat._peer_module import Refusal

__all__ = ["NAMES"]

_INSTEAD = (
    "write the kernel in Python with `@situ.kernel`; `kernel.inspect(opencl=True)` shows its "
    "OpenCL C"
)

NAMES: dict[str, object] = {
    **{
        name: Refusal(f"dpctl.program.{name}", _INSTEAD)
        for name in (
            "SyclKernel",
            "SyclKernelBundle",
            "SyclProgram",
            "create_kernel_bundle_from_source",
            "create_kernel_bundle_from_spirv",
            "create_program_from_source",
            "create_program_from_spirv",
        )
    },
    "SyclProgramCompilationError": situ.KernelError,
}
