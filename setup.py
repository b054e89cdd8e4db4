"""What pyproject.toml cannot say: in a wheel the examples, which lie beside the packages, are ``hydranoc/examples``."""

from setuptools import find_namespace_packages, setup

LAYERS = ["topology*", "sim_model*", "rtl*", "tb*", "fpga*", "hydranoc*"]

setup(
    packages=[*find_namespace_packages(include=LAYERS), "hydranoc.examples"],
    package_dir={"hydranoc.examples": "examples"},
)
