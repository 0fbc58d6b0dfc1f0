# types: float64[:]
import situ


@situ.kernel
def kernel(größe):
	menge = größe[0] + 1 ; größe[0] = mänge
