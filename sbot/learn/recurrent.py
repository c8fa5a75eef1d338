# SPDX-License-Identifier: Apache-2.0
"""Weights of PyTorch's recurrent layers in the order of networks."""

from __future__ import annotations

from typing import Any

import torch


def gates_of(inputs: Any, units: Any, bias: Any, other: Any) -> Any:  # noqa: ANN401
    """Return the weights (..., W) of a GRU or an LSTM: unit by unit, and gate by gate within it.

    Parameters
    ----------
    inputs, units : weights from I inputs (..., G H, I) and from H units (..., G H, H) of G gates
    bias, other : the biases beside these, (..., G H)

    """
    rows = torch.cat([bias[..., None], inputs, other[..., None], units], dim=-1)
    return rows.unflatten(-2, (-1, units.shape[-1])).transpose(-3, -2).flatten(-3)
