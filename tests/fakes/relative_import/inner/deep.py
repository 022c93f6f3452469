from ..util import first

__all__ = ["first"]
