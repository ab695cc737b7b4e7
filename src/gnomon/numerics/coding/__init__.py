"""Codes of classes: labels as numbers and back, two-class problems made of many classes, and their joint decisions."""

from gnomon.numerics.coding.labels import CODINGS, decode_labels, encode_labels, label_index

__all__ = ["CODINGS", "decode_labels", "encode_labels", "label_index"]
