"""Answers of a model file: to the rows of a file (`gnomon predict`), or over HTTP on this machine (`gnomon serve`)."""

from gnomon.serve.answers import Answers, OpenModel, Question, open_model
from gnomon.serve.app import asgi_app
from gnomon.serve.limits import Limits

__all__ = ["Answers", "Limits", "OpenModel", "Question", "asgi_app", "open_model"]
