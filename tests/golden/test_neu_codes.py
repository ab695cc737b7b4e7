"""Golden values of autoencoders and generators: NEU-G36, G41."""

import numpy as np
import pytest

from gnomon.neural import Autoencoder, optimal_discriminator
from gnomon.neural._elbo import kl_to_standard_normal

ROWS = np.array([[2.0, 0, 1], [0, 1, -1], [-1, 2, 0], [3, -1, 2], [1, 1, 3]])
PRODUCT = [
    [0.4705700, -0.3102067, 0.3910316], [-0.3102067, 0.2044928, -0.2577738], [0.3910316, -0.2577738, 0.3249372],
]  # fmt: skip


@pytest.mark.spec("NEU-G36")
def test_linear_autoencoder():
    options = {"activation": "identity", "solver": "svd"}
    one = Autoencoder(1, **options).fit(ROWS)
    assert one.reconstruction_error(ROWS) == pytest.approx(5.5996505, abs=5e-8)
    assert Autoencoder(2, **options).fit(ROWS).reconstruction_error(ROWS) == pytest.approx(0.0440807, abs=5e-8)
    W = one.encoder_.network.views(one.encoder_.theta)["encoder_1"][0]
    V = one.decoder_.network.views(one.decoder_.theta)["decoder_1"][0]
    assert np.allclose(W @ V, PRODUCT, rtol=0, atol=6e-8)
    plain = Autoencoder(1, bias=False, **options).fit(ROWS)
    assert plain.reconstruction_error(ROWS) == pytest.approx(10.5803352, abs=5e-8)


@pytest.mark.spec("NEU-G41")
def test_divergence_and_discriminator():
    found = kl_to_standard_normal(np.array([[1.0, 0.0]]), np.array([[0.0, -1.0]]))
    assert found[0] == pytest.approx(0.6839397, abs=5e-8)
    assert optimal_discriminator(0.3, 0.1) == pytest.approx(0.75)
