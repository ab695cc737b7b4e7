"""Answers of a model file: to the rows of a file (`gnomon predict`), or over HTTP on this machine (`gnomon serve`)."""

from __future__ import annotations

from gnomon.serve.answers import Answers, Asked, OpenModel, open_model
from gnomon.serve.app import asgi_app
from gnomon.serve.limits import RequestLimits

__all__ = ["Answers", "Asked", "OpenModel", "RequestLimits", "asgi_app", "open_model"]
