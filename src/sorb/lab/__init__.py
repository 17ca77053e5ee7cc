"""The laboratory: the datasets and the protocol of the paper's evaluation."""
