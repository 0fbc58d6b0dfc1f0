    # A function that is defined inside of another one keeps its indentation.
# types: float64[:], float64[:]
    @situ.kernel
    def nested(π, x_shape_0):
        '''Docstring.'''
        größe = len(π)   # names need not be ASCII
        i: int = situ.get_global_id(0)
        width: int
        if i < größe:
            π[i] = x_shape_0[-1]
