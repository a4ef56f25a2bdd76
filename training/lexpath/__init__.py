"""Training of the dense path: pairs, hard negatives, the encoder and its measures. See ../README.md."""
