"""Cyclic redundancy checks (CRC-16) of many messages of bytes."""

import numpy as np

import situ
from situ import prange

KIND = "bytes"
SIZES = {"test": {"messages": 6, "length": 8}, "bench": {"messages": 2000, "length": 64}}


def inputs(messages, length):
    rng = np.random.default_rng(48)
    return (rng.integers(0, 256, (messages, length), dtype=np.uint8),)


def reference(data):
    crc = np.full(data.shape[0], 0xFFFF, dtype=np.int64)
    for k in range(data.shape[1]):
        crc = crc ^ data[:, k]
        for _ in range(8):
            crc = np.where((crc & 1) == 1, (crc >> 1) ^ 0x8408, crc >> 1)
    return crc


njit = reference


def parallel(data):
    out = np.empty(data.shape[0], dtype=np.int64)
    for i in prange(data.shape[0]):
        crc = 0xFFFF
        for k in range(data.shape[1]):
            crc ^= np.int64(data[i, k])
            for _ in range(8):
                if crc & 1:
                    crc = (crc >> 1) ^ 0x8408
                else:
                    crc = crc >> 1
        out[i] = crc
    return out


@situ.kernel
def check(data, out):
    i = situ.get_global_id(0)
    crc = 0xFFFF
    for k in range(data.shape[1]):
        crc ^= int(data[i, k])
        for _ in range(8):
            crc = (crc >> 1) ^ 0x8408 if crc & 1 else crc >> 1
    out[i] = crc


def kernel(data):
    out = situ.empty(data.shape[0], dtype=situ.int64, device=data.device)
    check[data.shape[0]](data, out)
    return out
