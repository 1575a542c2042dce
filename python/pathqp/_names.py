"""Names that were changed: what parameters and attributes were called before is accepted for one release, with a
``FutureWarning``.

One table a class, ``_former``, from the former name to the one of today. It holds for the constructor, for
``set_params`` and so for grids, for attributes, and for what was pickled; :func:`renamed` does the same for the
arguments of a function.
"""

import functools

from ._pathqp import InputError
from ._warn import warn

#: What the engine and the command line call a parameter, and what it is called here.
ENGINE = {
    "lambda": "alpha",
    "tau": "quantile",
    "c": "C",
    "c-pos": "C_pos",
    "c-neg": "C_neg",
    "t": "risk_tolerance",
    "risk-free": "risk_free_rate",
}


def _tell(old, new):
    warn(f"{old} is now called {new}; the former name will be removed in pathqp 0.3", FutureWarning)


def _translated(given, former):
    """Keyword arguments by their names of today."""
    if former.keys().isdisjoint(given):
        return given
    out = {}
    for name, value in given.items():
        new = former.get(name, name)
        if new != name:
            _tell(name, new)
        if new in out or (new != name and new in given):
            raise TypeError(f"{new} and {name} are the same parameter: give {new} only")
        out[new] = value
    return out


def renamed(**former):
    """Decorates a function some of whose arguments had another name: ``renamed(tau="quantile")``."""

    def decorate(function):
        @functools.wraps(function)
        def call(*args, **given):
            return function(*args, **_translated(given, former))

        return call

    return decorate


def _attribute(old, new):
    """A property that leads to the attribute of today."""

    def read(self):
        _tell(old, new)
        return getattr(self, new)

    def write(self, value):
        _tell(old, new)
        setattr(self, new, value)

    return property(read, write, doc=f"The former name of ``{new}``.")


class FormerNames:
    """A class whose parameters or attributes had other names: ``_former = {"lam": "alpha"}``."""

    _former = {}

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        own = vars(cls).get("_former")
        if not own:
            return
        if "__init__" in vars(cls):
            cls.__init__ = renamed(**own)(cls.__init__)
        for old, new in own.items():
            setattr(cls, old, _attribute(old, new))

    def __setstate__(self, state):
        state = {self._former.get(name, name): value for name, value in state.items()}
        parent = getattr(super(), "__setstate__", None)
        if parent is None:
            self.__dict__.update(state)
        else:
            parent(state)


def renamed_params(model, params):
    """The arguments of ``set_params`` by their names of today."""
    return _translated(params, model._former)


class FormerKeys(dict):
    """A dict some of whose keys had other names."""

    def __init__(self, values, former):
        super().__init__(values)
        self._former = former

    def __missing__(self, key):
        if key not in self._former:
            raise KeyError(key)
        _tell(key, self._former[key])
        return self[self._former[key]]


class named_as_here:
    """Within it errors of the engine that begin with the name of a parameter call it as this package does."""

    def __init__(self, **names):
        self.names = {**ENGINE, **names}

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if not isinstance(error, InputError):
            return False
        name, separator, rest = str(error).partition(" = ")
        if separator and name in self.names:
            raise InputError(f"{self.names[name]} = {rest}") from None
        return False
