"""What pyproject.toml cannot say: in a wheel the examples, which lie beside the packages, are ``hydranoc/examples``."""

from setuptools import find_namespace_packages, setup

LAYERS = ["topology*", "sim_model*", "rtl*", "tb*", "fpga*", "hydranoc*"]
EXAMPLES = "hydranoc.examples"

setup(
    packages=[
        *find_namespace_packages(include=LAYERS),
        EXAMPLES,
        *(f"{EXAMPLES}.{folder}" for folder in find_namespace_packages("examples")),
    ],
    package_dir={EXAMPLES: "examples"},
)
