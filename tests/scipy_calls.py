"""A call that is right of each SciPy function that has a row, its arguments by name."""

from __future__ import annotations

from typing import Any

import numpy as np

_ROW = np.array([1.0, 2.0, 3.0, 5.0, 8.0])
_SQUARE = np.eye(3) + 0.1
_POINTS = np.random.default_rng(0).uniform(size=(9, 2))
_LONG = np.ones(300)


def _bowl(point: Any) -> Any:
    return ((point - 1.0) ** 2).sum()


def _line(point: Any) -> Any:
    return point - 1.0


def _half(point: Any) -> Any:
    return point * 0.5


def _decay(y: Any, t: Any) -> Any:
    return -y


def _decay_in_time(t: Any, y: Any) -> Any:
    return -y


def _product(y: Any, x: Any) -> Any:
    return x * y


def _scaled(x: Any, factor: Any) -> Any:
    return factor * x


_START = np.ones(1)

CALLS: dict[str, dict[str, Any]] = {
    "scipy.optimize.minimize": {"fun": _bowl, "x0": _START},
    "scipy.optimize.minimize_scalar": {"fun": lambda point: (point - 1.0) ** 2},
    "scipy.optimize.root": {"fun": _line, "x0": _START},
    "scipy.optimize.root_scalar": {"f": _line, "bracket": [0.0, 3.0]},
    "scipy.optimize.brentq": {"f": _line, "a": 0.0, "b": 3.0},
    "scipy.optimize.bisect": {"f": _line, "a": 0.0, "b": 3.0},
    "scipy.optimize.newton": {"func": _line, "x0": 0.5},
    "scipy.optimize.fsolve": {"func": _line, "x0": 0.5},
    "scipy.optimize.fixed_point": {"func": _half, "x0": 0.5},
    "scipy.optimize.fmin": {"func": _bowl, "x0": _START},
    "scipy.optimize.fmin_bfgs": {"f": _bowl, "x0": _START},
    "scipy.optimize.fmin_l_bfgs_b": {"func": _bowl, "x0": _START, "approx_grad": True},
    "scipy.optimize.basinhopping": {"func": _bowl, "x0": _START, "niter": 1},
    "scipy.optimize.dual_annealing": {"func": _bowl, "bounds": [(0.0, 2.0)], "maxiter": 1},
    "scipy.optimize.least_squares": {"fun": _line, "x0": _START},
    "scipy.optimize.curve_fit": {"f": _scaled, "xdata": _ROW, "ydata": 2 * _ROW, "p0": _START},
    "scipy.optimize.linear_sum_assignment": {"cost_matrix": _SQUARE},
    "scipy.optimize.linprog": {"c": np.ones(2), "A_ub": np.eye(2), "b_ub": np.ones(2)},
    "scipy.optimize.nnls": {"A": _SQUARE, "b": np.ones(3)},
    "scipy.optimize.approx_fprime": {"xk": _START, "f": _bowl},
    "scipy.integrate.quad": {"func": _half, "a": 0.0, "b": 1.0},
    "scipy.integrate.dblquad": {"func": _product, "a": 0.0, "b": 1.0, "gfun": 0.0, "hfun": 1.0},
    "scipy.integrate.odeint": {"func": _decay, "y0": _START, "t": np.array([0.0, 1.0])},
    "scipy.integrate.solve_ivp": {"fun": _decay_in_time, "t_span": (0.0, 1.0), "y0": _START},
    "scipy.integrate.simpson": {"y": _ROW, "x": np.arange(5.0)},
    "scipy.integrate.trapezoid": {"y": _ROW, "x": np.arange(5.0)},
    "scipy.integrate.cumulative_trapezoid": {"y": _ROW, "x": np.arange(5.0)},
    "scipy.integrate.romb": {"y": _ROW},
    **{
        f"scipy.interpolate.{name}": {"x": _ROW, "y": _ROW}
        for name in (
            "interp1d", "CubicSpline", "PchipInterpolator", "Akima1DInterpolator",
            "UnivariateSpline", "InterpolatedUnivariateSpline", "make_interp_spline", "splrep",
        )
    },
    "scipy.interpolate.BSpline": {"t": np.arange(8.0), "c": np.ones(4), "k": 3},
    "scipy.interpolate.RegularGridInterpolator": {"points": (_ROW,), "values": _ROW},
    "scipy.interpolate.RectBivariateSpline": {
        "x": np.arange(5.0), "y": np.arange(5.0), "z": np.ones((5, 5)),
    },
    "scipy.interpolate.griddata": {
        "points": _POINTS, "values": np.ones(9), "xi": np.full((1, 2), 0.5),
    },
    "scipy.interpolate.interpn": {"points": (_ROW,), "values": _ROW, "xi": np.array([2.0])},
    "scipy.ndimage.gaussian_filter": {"input": _SQUARE, "sigma": 1.0},
    "scipy.ndimage.gaussian_filter1d": {"input": _ROW, "sigma": 1.0},
    "scipy.ndimage.median_filter": {"input": _SQUARE, "size": 3},
    "scipy.ndimage.maximum_filter": {"input": _SQUARE, "size": 3},
    "scipy.ndimage.convolve": {"input": _SQUARE, "weights": np.ones((2, 2))},
    "scipy.ndimage.correlate": {"input": _SQUARE, "weights": np.ones((2, 2))},
    "scipy.ndimage.zoom": {"input": _SQUARE, "zoom": 2.0},
    "scipy.ndimage.rotate": {"input": _SQUARE, "angle": 20.0},
    "scipy.ndimage.shift": {"input": _SQUARE, "shift": 1.0},
    "scipy.ndimage.map_coordinates": {"input": _SQUARE, "coordinates": np.ones((2, 1))},
    "scipy.ndimage.affine_transform": {"input": _SQUARE, "matrix": np.eye(2)},
    **{
        f"scipy.ndimage.{name}": {"input": _SQUARE}
        for name in (
            "uniform_filter", "label", "distance_transform_edt", "binary_dilation",
            "binary_erosion", "center_of_mass", "sobel", "laplace",
        )
    },
    "scipy.signal.savgol_filter": {"x": _ROW, "window_length": 3, "polyorder": 1},
    "scipy.signal.butter": {"N": 2, "Wn": 0.2},
    "scipy.signal.lfilter": {"b": np.ones(2), "a": np.ones(1), "x": _ROW},
    "scipy.signal.sosfilt": {"sos": np.array([[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]]), "x": _ROW},
    "scipy.signal.convolve2d": {"in1": _SQUARE, "in2": _SQUARE},
    "scipy.signal.medfilt": {"volume": _ROW},
    "scipy.signal.detrend": {"data": _ROW},
    "scipy.signal.resample": {"x": _ROW, "num": 3},
    "scipy.signal.decimate": {"x": _LONG, "q": 2},
    **{
        f"scipy.signal.{name}": {"in1": _ROW, "in2": _ROW}
        for name in ("convolve", "correlate", "fftconvolve")
    },
    **{
        f"scipy.signal.{name}": {"x": _LONG}
        for name in ("find_peaks", "hilbert", "welch", "spectrogram", "periodogram", "stft")
    },
    **{
        f"scipy.fft.{name}": {"x": _ROW}
        for name in ("fft", "ifft", "rfft", "irfft", "dct", "idct", "dst", "fftshift")
    },
    **{
        f"scipy.fft.{name}": {"x": _SQUARE}
        for name in ("fftn", "ifftn", "fft2", "ifft2", "dctn")
    },
    "scipy.stats.gaussian_kde": {"dataset": _ROW},
    "scipy.stats.entropy": {"pk": _ROW},
    "scipy.stats.iqr": {"x": _ROW},
    "scipy.stats.wasserstein_distance": {"u_values": _ROW, "v_values": _ROW},
    "scipy.stats.ks_2samp": {"data1": _ROW, "data2": _ROW},
    "scipy.stats.trim_mean": {"a": _ROW, "proportiontocut": 0.1},
    **{
        f"scipy.stats.{name}": {"x": _ROW, "y": _ROW}
        for name in ("pearsonr", "kendalltau", "linregress")
    },
    **{f"scipy.stats.{name}": {"a": _ROW, "b": _ROW} for name in ("spearmanr", "ttest_ind")},
    **{
        f"scipy.stats.{name}": {"a": _ROW}
        for name in ("zscore", "skew", "kurtosis", "mode", "sem", "rankdata", "gmean", "hmean")
    },
    "scipy.spatial.KDTree": {"data": _POINTS},
    "scipy.spatial.cKDTree": {"data": _POINTS},
    "scipy.spatial.ConvexHull": {"points": _POINTS},
    "scipy.spatial.Delaunay": {"points": _POINTS},
    "scipy.spatial.distance_matrix": {"x": _SQUARE, "y": _SQUARE},
    "scipy.spatial.distance.cdist": {"XA": _SQUARE, "XB": _SQUARE},
    "scipy.spatial.distance.pdist": {"X": _SQUARE},
    "scipy.spatial.distance.squareform": {"X": np.ones(3)},
    "scipy.spatial.distance.euclidean": {"u": _ROW, "v": _ROW},
    "scipy.spatial.distance.cosine": {"u": _ROW, "v": _ROW},
    "scipy.spatial.transform.Rotation.from_euler": {"seq": "xyz", "angles": np.ones(3)},
    "scipy.spatial.transform.Rotation.from_quat": {"quat": np.ones(4)},
    "scipy.spatial.transform.Rotation.from_matrix": {"matrix": np.eye(3)},
    "scipy.spatial.transform.Rotation.from_rotvec": {"rotvec": np.ones(3)},
    **{
        f"scipy.sparse.{name}": {"arg1": _SQUARE}
        for name in ("csr_matrix", "csc_matrix", "coo_matrix", "csr_array")
    },
    "scipy.sparse.linalg.expm": {"A": _SQUARE},
    "scipy.sparse.linalg.cg": {"A": _SQUARE, "b": np.ones(3)},
    "scipy.sparse.linalg.gmres": {"A": _SQUARE, "b": np.ones(3)},
    "scipy.sparse.linalg.spsolve": {"A": _SQUARE, "b": np.ones(3)},
    "scipy.cluster.vq.kmeans2": {"data": _POINTS, "k": 2},
    "scipy.cluster.hierarchy.linkage": {"y": _POINTS},
}  # fmt: skip
