"""Digits of the postal service through a narrow layer: an autoencoder against principal components."""

import numpy as np
import pandas as pd
import pytest

from gnomon.decomposition import PCA
from gnomon.neural import Autoencoder, diagnose
from real_data import data_path


def usps(name, n):
    return pd.read_csv(data_path(f"esl/{name}"), nrows=n).to_numpy(dtype=float)[:, 1:]


@pytest.mark.spec("NEU-130", "NEU-131", "UNS-082")
def test_bent_codes_keep_more_of_unseen_digits():
    X, unseen = usps("zip.train.csv.gz", 2000), usps("zip.test.csv.gz", 500)
    for k in (2, 10):
        pca = PCA(k).fit(X)
        linear = Autoencoder(k, activation="identity", solver="svd").fit(X)
        assert linear.score(unseen) == pytest.approx(-pca.reconstruction_error(unseen), rel=1e-9)
        bent = Autoencoder(
            k, (100,), code_activation="identity", learning_rate_init=0.003, batch_size=100, max_iter=60, tol=1.0,
            n_iter_no_change=30,
            random_state=0,
        ).fit(X)  # fmt: skip
        assert bent.score(unseen) > 0.9 * linear.score(unseen)
        assert "dead" not in {finding.sign for finding in diagnose(bent, X, X).findings}
        codes = bent.transform(unseen)
        assert codes.shape == (500, k)
        assert np.allclose(bent.inverse_transform(codes), bent.reconstruct(unseen))
