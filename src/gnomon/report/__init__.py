"""An honest study of one table, and the page that tells of it."""

from gnomon.report._page import page, summary
from gnomon.report._study import Study, learn

__all__ = ["Study", "learn", "page", "summary"]
