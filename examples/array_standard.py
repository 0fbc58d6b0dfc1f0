"""One function, any array library: principal components by the array API standard.

`components` never names a library. It asks the array for its namespace and uses what the standard
promises, so it runs on NumPy arrays and, unchanged, on situ arrays of any device. Compute follows
data: where the points live is where everything happens.
"""

import time

import numpy as np

import situ

SHADES = " .:-=+*#%@"


def components(points, count):
    """Find the directions in which points spread most, and how much of the spread each has."""
    xp = points.__array_namespace__()
    centred = points - xp.mean(points, axis=0)
    covariance = xp.matmul(centred.T, centred) / (points.shape[0] - 1)
    spread, directions = xp.linalg.eigh(covariance)
    largest = xp.flip(xp.argsort(spread))[:count]
    share = xp.take(spread, largest) / xp.sum(spread)
    return xp.take(directions, largest, axis=1), share


def cloud(count, rng):
    """Make points around a tilted plane in ten dimensions."""
    plane = rng.normal(size=(2, 10)) * np.array([[3.0], [1.5]])
    return rng.normal(size=(count, 2)) @ plane + 0.3 * rng.normal(size=(count, 10))


def picture(x, y, rows=16, columns=56):
    """Draw how many points fall on each place of a grid."""
    counts, _, _ = np.histogram2d(y, x, bins=(rows, columns))
    shade = np.minimum(counts / counts.max() * 3, 1) * (len(SHADES) - 1)
    return "\n".join("   " + "".join(SHADES[int(s)] for s in row) for row in shade)


def main():
    """Compare NumPy and situ on the same points."""
    host = cloud(200_000, np.random.default_rng(7))
    places = {"numpy": host, "situ": situ.asarray(host)}
    for name, points in places.items():
        components(points, 2)  # compiles, where there is something to compile
        start = time.perf_counter()
        directions, share = components(points, 2)
        shares = [round(float(each), 3) for each in share]
        seconds = time.perf_counter() - start
        print(f"{name:>6}: {shares[0]} and {shares[1]} of the spread, {seconds * 1e3:.1f} ms")
    seen = (places["situ"] @ directions).to_numpy()
    print("\nThe cloud, seen from the side on which it is widest:\n")
    print(picture(seen[:, 0], seen[:, 1]))


if __name__ == "__main__":
    main()
