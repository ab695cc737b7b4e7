"""gnomon: classical machine learning as it is taught. One contract, shared nouns, certificates, speed."""

__version__ = "0.1.0"
