import numpy as np

from lexpath import intents


def test_model_learns_what_the_columns_tell():
    rng = np.random.default_rng(1)
    y = rng.integers(0, len(intents.ORDER), 200)
    x = np.eye(len(intents.ORDER))[y] + rng.normal(0, 0.1, (200, len(intents.ORDER)))
    said = intents.crossed(x, y, decay=1.0, seed=0)
    assert np.mean(said == y) > 0.95
    assert intents.kappa(said, y) > 0.9


def test_kappa_takes_out_chance():
    y = np.array([0, 0, 1, 1])
    assert intents.kappa(y, y) == 1
    assert abs(intents.kappa(np.array([0, 1, 0, 1]), y)) < 1e-12
