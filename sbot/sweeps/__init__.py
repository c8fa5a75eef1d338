# SPDX-License-Identifier: Apache-2.0
"""Experiments over parameters and seeds, on this machine's processors or a Dask cluster."""
