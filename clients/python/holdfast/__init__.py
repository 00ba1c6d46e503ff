"""A client for Holdfast, a workflow engine for batch jobs in which failure is a first-class path."""

from .client import Client, HoldfastError

__all__ = ["Client", "HoldfastError"]
