"""gnomon against its peers: same data, same quality, same threads, one process, interleaved.

    ratio = median seconds of the peer / median seconds of ours                                                (1)

reported only if q(ours) ≤ min q(peers) + tolerance, q being what was minimised.
A row is a value (`benchmarks._row.Row`); a family is a module of rows (`benchmarks.linear`). ``python -m benchmarks``
measures speed, growth with size, peak memory and the first call in a fresh process, prints Markdown and writes it
beside a JSON file to ``benchmarks/results``.
"""
