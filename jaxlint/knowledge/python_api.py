"""What the standard library and common Python libraries do, as far as tracing goes."""

from __future__ import annotations

OUTPUT: dict[str, str] = {
    "builtins.print": "print",
    "pprint.pprint": "print",
    "pprint.pp": "print",
    "rich.print": "print",
    "rich.pretty.pprint": "print",
    "sys.stdout.write": "write",
    "sys.stderr.write": "write",
    "tqdm.tqdm.write": "write",
    "tqdm.auto.tqdm.write": "write",
    **{
        f"{owner}.{level}": "logging"
        for owner in ("logging", "logging.Logger", "absl.logging")
        for level in ("debug", "info", "warning", "error", "exception", "log", "fatal")
    },
    **{f"{owner}.critical": "logging" for owner in ("logging", "logging.Logger")},
}
"""Functions that write something for a person to read, and how to call that."""

CLOCKS = frozenset(
    f"time.{name}"
    for name in ("time", "perf_counter", "monotonic", "process_time", "time_ns", "perf_counter_ns",
                 "monotonic_ns")
) | {"timeit.default_timer", "IPython.time", "IPython.timeit"}  # fmt: skip
"""Functions that read a clock; those of IPython are what ``%time`` and ``%timeit`` become."""

RUNS_OFTEN = "IPython.timeit"
"""The clock between whose readings everything runs many times."""

_RANDOM = ("random", "randint", "uniform", "choice", "choices", "gauss", "normalvariate", "sample",
           "shuffle", "randrange", "getrandbits", "betavariate", "expovariate")  # fmt: skip
_NUMPY_RANDOM = ("rand", "randn", "randint", "random", "random_sample", "uniform", "normal",
                 "choice", "permutation", "shuffle", "standard_normal", "exponential", "poisson",
                 "beta", "gamma", "binomial", "multivariate_normal", "random_integers", "bytes",
                 "laplace", "integers")  # fmt: skip

OPEN = "builtins.open"
WRITES = frozenset("wax")
"""The modes of :data:`OPEN` in which nothing is read that was there before."""

INPUT: dict[str, str] = {
    **dict.fromkeys(CLOCKS, "a clock"),
    "time.strftime": "a clock",
    "time.localtime": "a clock",
    "time.gmtime": "a clock",
    "time.ctime": "a clock",
    "datetime.datetime.now": "a clock",
    "datetime.datetime.utcnow": "a clock",
    "datetime.datetime.today": "a clock",
    "datetime.date.today": "a clock",
    **{f"random.{name}": "a random number" for name in _RANDOM},
    **{f"random.Random.{name}": "a random number" for name in _RANDOM},
    **{
        f"numpy.random.{owner}{name}": "a random number"
        for owner in ("", "Generator.", "RandomState.")
        for name in _NUMPY_RANDOM
    },
    "numpy.random.default_rng": "a random number",
    "uuid.uuid1": "a random number",
    "uuid.uuid4": "a random number",
    "os.urandom": "a random number",
    "secrets.token_bytes": "a random number",
    "secrets.token_hex": "a random number",
    "secrets.randbelow": "a random number",
    "os.getenv": "the environment",
    "os.environ.get": "the environment",
    "os.environ.__getitem__": "the environment",
    "builtins.input": "input",
    OPEN: "a file",
}
"""Functions that give something else at each call, and what to call that."""

SEEDED = frozenset({"numpy.random.default_rng"})
"""Those of them that give the same when they are given a seed."""

SEEDS: dict[str, str] = {"random.seed": "random", "numpy.random.seed": "numpy.random"}
"""Functions after which those of a module draw the same numbers each time."""

RANDOM_INTEGERS = frozenset(
    {"random.randint", "random.randrange", "numpy.random.randint",
     "numpy.random.Generator.integers"}
)  # fmt: skip
"""Functions that give a random integer, as a size is."""

ITERATORS = frozenset(
    f"itertools.{name}" for name in ("count", "cycle", "repeat", "chain", "islice", "product",
                                     "permutations", "combinations", "accumulate", "starmap")
)  # fmt: skip
"""Functions that make an iterator of elements nobody follows."""

INSTANCES: dict[str, str] = {
    "logging.getLogger": "logging.Logger",
    "logging.Logger": "logging.Logger",
    "numpy.random.default_rng": "numpy.random.Generator",
    "numpy.random.RandomState": "numpy.random.RandomState",
    "random.Random": "random.Random",
    "argparse.ArgumentParser": "argparse.ArgumentParser",
    "multiprocessing.Process": "multiprocessing.Process",
    "multiprocessing.context.ForkContext.Process": "multiprocessing.context.ForkProcess",
    "concurrent.futures.ProcessPoolExecutor": "concurrent.futures.ProcessPoolExecutor",
}
"""Functions that return an object whose methods are known: its type."""

COPIES_DEEPLY = "copy.deepcopy"

COPIES = frozenset({"copy.copy", COPIES_DEEPLY})
"""Functions that make another object with the same in it, or with copies of that."""

SAYS_HOW_TO_COPY = frozenset(
    {"__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__",
     "__getnewargs__", "__getnewargs_ex__", "__new__"}
)  # fmt: skip
"""Methods that say how objects of a class are copied."""

PARSES_ARGUMENTS = "argparse.ArgumentParser.parse_args"
"""What the user says to the program: each attribute stays what it is."""

NEUTRAL_DECORATORS = frozenset(
    {
        "typing.no_type_check",
        "typing.final",
        "typing.override",
        "typing_extensions.final",
        "typing_extensions.override",
        "beartype.beartype",
        "typeguard.typechecked",
        "jaxtyping.jaxtyped",
        "chex.assert_max_traces",
        "chex.chexify",
        "flax.linen.compact",
        "flax.linen.nowrap",
        "abc.abstractmethod",
        "jax.profiler.annotate_function",
        "equinox.debug.assert_max_traces",
    }
)
"""Decorators that return a function that does what the decorated one does."""

NEUTRAL_DECORATOR_FACTORIES = frozenset(
    {"jaxtyping.jaxtyped", "jax.named_scope", "chex.assert_max_traces",
     "jax.profiler.annotate_function", "equinox.debug.assert_max_traces",
     "pydantic.field_validator", "pydantic.model_validator"}
)  # fmt: skip
"""The same with arguments: what they return is such a decorator."""

GIVES_BACK: dict[str, int] = {
    "typing.cast": 1,
    "typing_extensions.cast": 1,
    "typing.assert_type": 0,
    "typing_extensions.assert_type": 0,
    "typing.reveal_type": 0,
    "typing_extensions.reveal_type": 0,
}
"""Functions that return one of their arguments as it is: which one."""

CACHED_PROPERTY = "functools.cached_property"
"""Computes an attribute when it is read first, and sets it."""

CACHES = frozenset({"functools.cache", "functools.lru_cache"})
"""Decorators that keep results: the function's body runs once per arguments."""

CLEARS_CACHE = "cache_clear"
"""The method of such a function after which it keeps nothing."""

DISPATCHES_METHODS = "singledispatchmethod"

DISPATCHES = {
    "functools.singledispatch": "singledispatch",
    "functools.singledispatchmethod": DISPATCHES_METHODS,
}
"""Decorators that make a function choose by the type of an argument what runs."""

REGISTERS = "register"
"""The method that says what runs for a type."""

RAISES = "pytest.raises"
"""Around what must raise an exception."""

EXPECTS_ERRORS = frozenset(
    {
        RAISES,
        "contextlib.suppress",
        "numpy.testing.assert_raises",
        "numpy.testing.assert_raises_regex",
    }
)
"""Context managers in which an exception is what the author wants."""

EXPECTS_ERRORS_METHODS = frozenset(
    {"assertRaises", "assertRaisesRegex", "assertRaisesWithLiteralMatch"}
)
"""Methods of test cases that do the same."""

CALLS_WHAT_RAISES = {
    RAISES: 1,
    "numpy.testing.assert_raises": 1,
    "numpy.testing.assert_raises_regex": 2,
    "assertRaises": 1,
    "assertRaisesRegex": 2,
    "assertRaisesWithLiteralMatch": 2,
}
"""Those that call a function themselves, if they are given one; its place in the arguments."""

DISABLES_JIT = "jax.disable_jit"
"""The context manager in which what JAX compiles runs as it is."""

UNTRACED_CONTEXTS = frozenset({"jax.ensure_compile_time_eval"})
"""Context managers in which operations on constants run without tracing."""

MAKES_FUNCTIONS = frozenset({"functools.partial"})
"""What gives another function, and does nothing else: above a function it lacks an ``@``."""

RECEIVERS = frozenset({"self", "_self", "this", "me", "cls"})
"""What the first parameter of a method is called."""

CATCHES_TRACER_ERRORS = frozenset(
    {
        "builtins.TypeError",
        "builtins.Exception",
        "builtins.BaseException",
        "builtins.ValueError",
        "jax.errors.JAXTypeError",
        "jax.errors.ConcretizationTypeError",
        "jax.errors.TracerBoolConversionError",
        "jax.errors.TracerIntegerConversionError",
        "jax.errors.TracerArrayConversionError",
        "jax.core.ConcretizationTypeError",
    }
)
"""Exceptions whose handler catches what JAX raises on a conversion."""

TYPE_ERROR = "builtins.TypeError"

CATCHES_TYPE_ERRORS = frozenset({TYPE_ERROR, "builtins.Exception", "builtins.BaseException"})
"""Exceptions whose handler catches every TypeError."""

FOR_OTHER_RELEASES = frozenset(
    {"builtins.ImportError", "builtins.ModuleNotFoundError", "builtins.AttributeError",
     "builtins.TypeError"}
)  # fmt: skip
"""Exceptions that say that a name or a parameter is not there: their handler does without it."""

CATCHES_MISSING_NAMES = FOR_OTHER_RELEASES | {"builtins.Exception", "builtins.BaseException"}
"""Exceptions whose handler catches that a name or a parameter is not there."""

CATCHES_UNBOUND_AXES = frozenset(
    {"builtins.NameError", "builtins.Exception", "builtins.BaseException"}
)
"""Exceptions whose handler catches that no axis has a name."""

FINDS_MODULES = frozenset({"importlib.util.find_spec", "importlib.find_loader"})
"""Functions that ask whether a module could be imported: None says that it is not there."""

NEVER_RETURN = frozenset(
    {"sys.exit", "os._exit", "os.abort", "builtins.exit", "builtins.quit", "pytest.exit",
     "pytest.fail", "pytest.skip", "pytest.xfail"}
)  # fmt: skip
"""Functions that end the program, or the test, that calls them."""

CATCHES_IMPORT_ERRORS = frozenset({"builtins.ImportError", "builtins.ModuleNotFoundError"})

STRING_ANSWERS = frozenset(
    ["strip", "lstrip", "rstrip", "lower", "upper", "casefold", "title", "capitalize", "replace",
     "removeprefix", "removesuffix", "startswith", "endswith", "isdigit", "isalpha", "isidentifier",
     "split", "rsplit", "splitlines", "partition", "rpartition", "join", "find", "rfind", "count"]
)  # fmt: skip
"""Methods of strings that depend on nothing but the string and their arguments."""

MUTATING_METHODS: dict[str, frozenset[str]] = {
    "list": frozenset(
        ["append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse",
         "appendleft", "extendleft", "popleft", "rotate",
         "__setitem__", "__delitem__", "__iadd__", "__imul__"]
    ),
    "dict": frozenset(
        ["update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__", "__ior__"]
    ),
    "set": frozenset(["add", "update", "discard", "remove", "pop", "clear"]),
}  # fmt: skip
"""Methods that change a container; a deque is a list that has some more."""

CHANGES_CONTAINERS = MUTATING_METHODS["list"] | MUTATING_METHODS["dict"]
"""Methods that change a list or a dict."""

MUTABLE_CONSTRUCTORS: dict[str, str] = {
    "builtins.list": "list",
    "builtins.dict": "dict",
    "builtins.set": "set",
    "collections.defaultdict": "dict",
    "collections.OrderedDict": "dict",
    "collections.Counter": "dict",
    "collections.deque": "list",
}
"""Calls that make a mutable container."""

DICT_OF_ATTRIBUTES = frozenset({"__dict__", "vars"})
"""Give the dict of the attributes of an object."""

ORDERED = "collections.OrderedDict"
"""A dict of which JAX takes the entries as they come: it sorts those of any other."""

TAKE_PAIRS = frozenset({"builtins.dict", ORDERED})
"""Make a dict of pairs of a key and what stands under it."""

FILLS_ITSELF = "collections.defaultdict"
"""Makes a dict that puts what its first argument gives where nothing stands yet."""

BOUNDS = "maxlen"
"""The parameter of ``collections.deque``, its second, that says how many elements it holds."""

MATH_ON_TRACERS = frozenset({"math.prod", "math.sumprod"})
"""Functions of ``math`` that only multiply and add: they work on tracers."""

MATH_OF_INTEGERS = frozenset({"math.gcd", "math.lcm", "math.comb", "math.perm", "math.factorial",
                              "math.isqrt"})  # fmt: skip
"""Functions of ``math`` that ask for an integer with ``__index__``."""

MATH_OF_SEQUENCES = frozenset({"math.dist", "math.fsum"})
"""Functions of ``math`` that ask for sequences of numbers."""

WANTS_INTEGERS = frozenset(
    {"builtins.bin", "builtins.chr", "builtins.hex", "builtins.oct", "operator.index"}
)
"""Functions that ask for an integer with ``__index__``."""

WANTS_VALUES = frozenset(
    {"builtins.bytes", "builtins.memoryview", "json.dump", "json.dumps", "pickle.dump",
     "pickle.dumps"}
)  # fmt: skip
"""Functions that write down their first argument, in which no tracer may be."""

WRITES_ANYTHING = frozenset({"cls", "default"})
"""Keywords by which they can be told what to write instead."""

STATIC_FIELDS = frozenset({"equinox.static_field", "jax.tree.static"})
"""Field declarations of what is no leaf."""

STATIC_ANNOTATIONS = frozenset({"jax_dataclasses.Static"})
"""What annotates a field that is no leaf: ``Static[int]``."""

FIELD_FACTORIES = STATIC_FIELDS | {
    "flax.struct.field", "equinox.field", "dataclasses.field", "pydantic.Field"
}  # fmt: skip
"""Field declarations; some take ``static=True`` or ``pytree_node=False``."""

MATH_ON_ARRAYS = {
    f"math.{name}": f"jax.numpy.{other or name}"
    for names, other in (
        (("sqrt", "exp", "exp2", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan",
          "sinh", "cosh", "tanh", "hypot", "fabs", "degrees", "radians", "isnan", "isinf",
          "isfinite", "copysign", "cbrt", "fmod", "gcd", "lcm", "floor", "ceil", "trunc"), ""),
        (("asin",), "arcsin"), (("acos",), "arccos"), (("atan",), "arctan"),
        (("asinh",), "arcsinh"), (("acosh",), "arccosh"), (("atanh",), "arctanh"),
        (("atan2",), "arctan2"), (("pow",), "power"),
    )
    for name in names
} | {"math.erf": "jax.scipy.special.erf", "math.erfc": "jax.scipy.special.erfc",
     "math.lgamma": "jax.scipy.special.gammaln"}  # fmt: skip
"""What computes the same with arrays."""

MATH_ROUNDS = frozenset({"math.floor", "math.ceil", "math.trunc"})
"""Those of them that give an integer, where JAX keeps the type."""

_INTEGERS = MATH_ROUNDS | MATH_OF_INTEGERS
_TIMES = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
_TRUTHS = ("isnan", "isinf", "isfinite", "isclose")

HOST_RESULTS: dict[str, str] = (
    dict.fromkeys(_INTEGERS, "int")
    | dict.fromkeys([f"math.{name}" for name in _TRUTHS], "bool")
    | dict.fromkeys([f"random.{name}" for name in ("randint", "randrange", "getrandbits")], "int")
    | dict.fromkeys([f"time.{name}_ns" for name in _TIMES], "int")
    | dict.fromkeys([f"time.{name}" for name in ("strftime", "ctime", "asctime")], "str")
)
"""Functions of Python's modules of numbers, and of time, that give no float, and what."""

NO_NUMBERS = frozenset(
    ["math.frexp", "math.modf", "math.prod", "math.sumprod", "time.sleep", "time.localtime",
     "time.gmtime", "time.strptime", "time.struct_time", "time.get_clock_info", "time.tzset"]
    + [f"random.{name}" for name in ("choice", "choices", "sample", "seed", "shuffle", "getstate",
                                     "setstate", "randbytes", "Random", "SystemRandom")]
)  # fmt: skip
"""Those that give something else, or what depends on what they are given."""

COMPUTED = MATH_ROUNDS | {"math.sqrt", "math.log", "math.log2", "math.log10", "math.gcd",
                          "math.isqrt"}  # fmt: skip
"""Those that are computed where their arguments are in view."""

NAMES_OF_TYPES = frozenset({"__name__", "__qualname__"})

MODULE_OF_TYPE = "__module__"
"""The attribute of a type with the name of the module that it comes from."""

ASKS_KIND = frozenset({"isinstance", "callable", "hasattr", "len", "type"})
"""What Python asks to learn of what kind a value is."""

TELLS_NOTHING = ("jax.numpy.", "numpy.", "builtins.", "math.")
"""Modules whose predicates do not ask whether their argument is a tracer."""

GROWS = frozenset(
    {f"jax.numpy.{name}" for name in ("append", "concatenate", "vstack", "hstack", "concat")}
    | {f"numpy.{name}" for name in ("append", "concatenate", "vstack", "hstack")}
)
"""Functions that make a longer array of several."""

CHANGES_NUMPY = frozenset({"sort", "fill", "itemset", "put", "resize", "partition"})
"""Methods that change a NumPy array in place."""

FIELD_VALIDATORS = frozenset({"pydantic.field_validator"})
"""Decorators of methods that are given what a field is given, and say what it holds."""

MODEL_VALIDATORS = frozenset({"pydantic.model_validator"})
"""Decorators of methods that are given all of them."""

OLD_VALIDATORS = frozenset({"pydantic.validator", "pydantic.root_validator"})
"""Those of releases that had others."""

PLAIN_MODEL_OPTIONS = frozenset(
    {"extra", "frozen", "arbitrary_types_allowed", "validate_assignment", "protected_namespaces",
     "title", "coerce_numbers_to_str"}
)  # fmt: skip
"""Options of such a class that change nothing of what its fields are given."""

CHANGES_OF_FIELDS = frozenset(
    {"alias", "validation_alias", "AfterValidator", "BeforeValidator", "PlainValidator",
     "WrapValidator", "StringConstraints", "constr", "SecretStr", "init_var"}
)  # fmt: skip
"""Options and annotations of a field that fill it otherwise."""

CALLABLE_TYPES = frozenset({"typing.Callable", "collections.abc.Callable"})
"""Annotations of functions; what is an instance of these can be called."""

ASKS_FOR_CLASS = frozenset({"inspect.isclass"})
"""Functions that say whether a value is a class."""

ABSTRACT_CONTAINERS = {
    f"{module}.{name}": kinds
    for module in ("typing", "collections.abc")
    for name, kinds in {
        "Sequence": ("list", "tuple"), "MutableSequence": ("list",),
        "Mapping": ("dict",), "MutableMapping": ("dict",), "MutableSet": ("set",),
    }.items()
}  # fmt: skip
"""Classes of which no array is an instance -> the containers that are."""

CONTEXT_MANAGERS = frozenset({"contextlib.contextmanager"})
"""Decorators that make a context manager of a generator function."""

# ---------------------------------------------------------------------- processes

SETS_START_METHOD = "multiprocessing.set_start_method"
GETS_CONTEXT = "multiprocessing.get_context"
FORK = "fork"
"""The way to start processes that those two may be asked for."""

FORK_CONTEXT = "multiprocessing.context.ForkContext"
"""What the second gives then."""

EXECUTOR = "concurrent.futures.ProcessPoolExecutor"

FORKS = frozenset(
    {"os.fork", "os.forkpty", "pty.fork", f"{FORK_CONTEXT}.Pool", f"{FORK_CONTEXT}.Manager",
     "multiprocessing.context.ForkProcess.start"}
)  # fmt: skip
"""Functions and methods that fork this process."""

FORKS_BY_DEFAULT = frozenset(
    {"multiprocessing.Pool", "multiprocessing.Manager", "multiprocessing.Process.start",
     f"{EXECUTOR}.submit", f"{EXECUTOR}.map"}
)  # fmt: skip
"""Those that do so on Linux before Python 3.14, where nobody chooses another way."""

FORK_NAMES = frozenset(
    {"fork", "forkpty", "Pool", "Manager", "Process", "ProcessPoolExecutor"}
)  # fmt: skip
"""Names of which a file that forks reads at least one."""

ENTERED_AS_THEMSELVES = frozenset({EXECUTOR})
"""Classes of which ``with`` gives the object itself."""

TEXTS = frozenset({"builtins.str", "builtins.repr", "builtins.format", "builtins.ascii"})
"""Functions that give the text of what they are given."""

UNHASHABLE = frozenset(
    {"builtins.dict", "builtins.list", "builtins.set", "collections.OrderedDict",
     "collections.defaultdict", "collections.deque"}
)  # fmt: skip
"""Classes of containers whose objects Python does not hash."""
