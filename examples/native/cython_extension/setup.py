"""Builds the extension module; all it needs of situ is the folder of its header."""

from setuptools import Extension, setup

import situ

setup(
    ext_modules=[Extension("moving_mean", ["moving_mean.pyx"], include_dirs=[situ.get_include()])]
)
