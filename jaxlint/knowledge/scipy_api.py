"""What SciPy does when it is handed a tracer (measured on jax 0.10.2, scipy 1.17).

It makes ndarrays of its arguments, and of what the functions return that it calls. Each row is
asked of JAX by ``tests/test_scipy_api.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from jaxlint.knowledge import history
from jaxlint.knowledge.measured import signature_of

MODULES = ("scipy.special.", "scipy.linalg.")
"""Modules whose functions make ndarrays of every argument."""

ARRAY_API = ("array_api_compat", "array_api_extra")
"""Packages of code that takes the arrays of any library.

With ``SCIPY_ARRAY_API=1`` in the environment SciPy does so, too: ``expit`` of a tracer is one.
"""

_DENSITIES = frozenset(
    ["pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf"]
)  # fmt: skip
"""Methods of the distributions of ``scipy.stats`` that make ndarrays of every argument."""

_FUNCTIONS = {
    "scipy.optimize": """
        minimize(fun/1 x0* args), minimize_scalar(fun/1), root(fun/1 x0* args),
        root_scalar(f/1 args), brentq(f/1), bisect(f/1), newton(func/1 x0*),
        fsolve(func/1 x0* args), fixed_point(func/1 x0* args),
        fmin(func/1 x0* args), fmin_bfgs(f/1 x0*),
        fmin_l_bfgs_b(func/1 x0*), basinhopping(func/1 x0*),
        dual_annealing(func/1), least_squares(fun/1 x0*), curve_fit(f/1 xdata* ydata* p0*),
        linear_sum_assignment(cost_matrix*), linprog(c* A_ub* b_ub*), nnls(A* b*),
        approx_fprime(xk* f/1)
    """,
    "scipy.integrate": """
        quad(func/1 a* b* args), dblquad(func/2 a* b*), odeint(func/2 y0* t* args),
        solve_ivp(fun/2 t_span* y0*), simpson(y* x*), trapezoid(y* x*),
        cumulative_trapezoid(y* x*), romb(y*)
    """,
    "scipy.interpolate": """
        interp1d(x* y*), CubicSpline(x* y*), PchipInterpolator(x* y*), Akima1DInterpolator(x* y*),
        UnivariateSpline(x* y*), InterpolatedUnivariateSpline(x* y*), make_interp_spline(x* y*),
        BSpline(t* c*), splrep(x* y*), RegularGridInterpolator(points* values*),
        RectBivariateSpline(x* y* z*), griddata(points* values* xi*), interpn(points* values* xi*)
    """,
    "scipy.ndimage": """
        gaussian_filter(input* sigma*), gaussian_filter1d(input* sigma*), uniform_filter(input*),
        median_filter(input*), maximum_filter(input*), convolve(input* weights*),
        correlate(input* weights*), zoom(input*), rotate(input* angle*), shift(input* shift*),
        label(input*), map_coordinates(input* coordinates*), affine_transform(input* matrix*),
        distance_transform_edt(input*), binary_dilation(input*), binary_erosion(input*),
        center_of_mass(input*), sobel(input*), laplace(input*)
    """,
    "scipy.signal": """
        savgol_filter(x*), find_peaks(x*), butter(N Wn*), lfilter(b* a* x*), sosfilt(sos* x*),
        convolve(in1* in2*), convolve2d(in1* in2*), correlate(in1* in2*), fftconvolve(in1* in2*),
        medfilt(volume*), hilbert(x*), detrend(data*), resample(x*), decimate(x*), welch(x*),
        spectrogram(x*), periodogram(x*), stft(x*)
    """,
    "scipy.fft": """
        fft(x*), ifft(x*), rfft(x*), irfft(x*), fftn(x*), ifftn(x*), fft2(x*), ifft2(x*), dct(x*),
        idct(x*), dctn(x*), dst(x*), fftshift(x*)
    """,
    "scipy.stats": """
        gaussian_kde(dataset*), pearsonr(x* y*), spearmanr(a* b*), zscore(a*), entropy(pk*),
        skew(a*), kurtosis(a*), mode(a*), iqr(x*), sem(a*), rankdata(a*),
        wasserstein_distance(u_values* v_values*), ks_2samp(data1* data2*), ttest_ind(a* b*),
        kendalltau(x* y*), linregress(x* y*), trim_mean(a*), gmean(a*), hmean(a*)
    """,
    "scipy.spatial": """
        KDTree(data*), cKDTree(data*), ConvexHull(points*), Delaunay(points*),
        distance_matrix(x* y*)
    """,
    "scipy.spatial.distance": """
        cdist(XA* XB*), pdist(X*), squareform(X*), euclidean(u* v*), cosine(u* v*)
    """,
    "scipy.spatial.transform.Rotation": """
        from_euler(seq angles*), from_quat(quat*), from_matrix(matrix*), from_rotvec(rotvec*)
    """,
    "scipy.sparse": """
        csr_matrix(arg1*), csc_matrix(arg1*), coo_matrix(arg1*), csr_array(arg1*)
    """,
    "scipy.sparse.linalg": "expm(A*), cg(A b*), gmres(A b*), spsolve(A* b*)",
    "scipy.cluster.vq": "kmeans2(data*)",
    "scipy.cluster.hierarchy": "linkage(y*)",
}
"""The functions of each module, with their first parameters: ``*`` marks those of which ndarrays
are made, ``/n`` functions that are called with n arguments, and with ``args``."""

INTERPOLATORS = frozenset(
    f"scipy.interpolate.{name}"
    for name in (
        "interp1d", "CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "UnivariateSpline",
        "InterpolatedUnivariateSpline", "BSpline", "RegularGridInterpolator",
    )
)  # fmt: skip
"""Classes whose objects make ndarrays of what they are called with."""


@dataclass(frozen=True, slots=True)
class Row:
    """A function of SciPy.

    Attributes:
        parameters: the first ones, in order.
        arrays: those of which it makes ndarrays.
        called: those that it calls, with how many arguments of its own.
    """

    parameters: tuple[str, ...]
    arrays: frozenset[str]
    called: dict[str, int]

    def name_of(self, position: int) -> str:
        """The parameter at a position; empty for one that is not known."""
        return self.parameters[position] if position < len(self.parameters) else ""


@cache
def _rows() -> dict[str, Row]:
    return {
        f"{module}.{name.strip()}": _row(parameters.split())
        for module, functions in _FUNCTIONS.items()
        for function in functions.strip().rstrip(")").split("),")
        for name, _, parameters in (function.partition("("),)
    }


def _row(parameters: Iterable[str]) -> Row:
    parts = [each.partition("/") for each in parameters]
    return Row(
        tuple(name.rstrip("*") for name, _, _ in parts),
        frozenset(name.rstrip("*") for name, _, _ in parts if name.endswith("*")),
        {name: int(count) for name, _, count in parts if count},
    )


def names() -> Iterable[str]:
    """Every function that has a row."""
    return _rows().keys()


def row_of(name: str) -> Row | None:
    """What is known of a function by its qualified name."""
    return _rows().get(name)


def needs_arrays(name: str) -> bool:
    """Whether a function makes ndarrays of every argument."""
    return name.startswith(MODULES) or is_density(name)


def is_density(name: str) -> bool:
    """Whether it is a method of a distribution, whose keywords are arrays too."""
    owner, _, method = name.rpartition(".")
    return method in _DENSITIES and owner.startswith("scipy.stats.")


def counterpart(name: str) -> str:
    """The function of JAX that computes the same; empty where none is known."""
    module, _, short = name.rpartition(".")
    known = f"jax.{name}", f"jax.numpy.fft.{short}" if module == "scipy.fft" else ""
    return next(filter(_is_there, known), "")


def _is_there(name: str) -> bool:
    return signature_of(name) is not None or history.surely_exists(name, "")
