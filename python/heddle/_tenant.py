"""Tenants: parts of a program that share its devices without hurting each other."""

from __future__ import annotations

from typing import Any, Optional

from . import _checks, _core
from ._errors import ArgumentTypeError, InvalidArgument

_KINDS = ("latency", "batch")


def _part(what: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentTypeError(f"{what} is {_checks.shown(value)}; it is a number")
    return float(value)


class Tenant:
    """Launches with ``kernel[grid, block].options(tenant=...)`` are its own; the policy of the runtime decides where and
    when they run: ``Runtime(policy="lithos")`` is made for tenants. ``Runtime.tenant`` makes them. Any thread."""

    __slots__ = ("_native", "_settings")

    def __init__(self, runtime: _core.Runtime, name: str, kind: str, quota: float, slip: float) -> None:
        """For Heddle's own use: ``Runtime.tenant`` makes them."""
        self._settings = self._checked(name, kind, quota, slip)
        self._native = _core.Tenant(runtime, self._settings[0], kind == "latency", *self._settings[2:])

    @staticmethod
    def _checked(name: Any, kind: Any, quota: Any, slip: Any) -> tuple[str, str, float, float]:
        if kind not in _KINDS:
            raise InvalidArgument(f"a tenant's kind is 'latency' or 'batch', not {_checks.shown(kind)}")
        return (_checks.text("tenant(name)", name, "a tenant's name"), kind, _part("quota", quota), _part("slip", slip))

    @property
    def name(self) -> str:
        return self._settings[0]

    @property
    def kind(self) -> str:
        return self._settings[1]

    @property
    def quota(self) -> float:
        return self._settings[2]

    @property
    def slip(self) -> float:
        return self._settings[3]

    def set(self, *, kind: Optional[str] = None, quota: Optional[float] = None, slip: Optional[float] = None) -> None:
        """Changes what is given, with effect from the next decision of the policy on."""
        wanted = self._checked(self.name, self.kind if kind is None else kind, self.quota if quota is None else quota,
                               self.slip if slip is None else slip)
        self._native.set(wanted[0], wanted[1] == "latency", wanted[2], wanted[3])
        self._settings = wanted

    def __repr__(self) -> str:
        return f"<heddle.Tenant {self.name!r} {self.kind} quota={self.quota:g}>"
