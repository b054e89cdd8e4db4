"""Build steps beyond pyproject.toml.

In a wheel the examples, which are beside the packages here, become ``hydranoc/examples``. With HYDRANOC_LOOPS_IN_WHEEL
it includes the compiled loops of ``python -m release.loops``, and is a wheel for this platform.
"""

import os

from setuptools import find_namespace_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel

LAYERS = ["topology*", "sim_model*", "rtl*", "tb*", "fpga*", "hydranoc*"]
EXAMPLES = "hydranoc.examples"
SHIPPED = "sim_model.shipped"
WITH_LOOPS = bool(os.environ.get("HYDRANOC_LOOPS_IN_WHEEL"))


class Wheel(bdist_wheel):
    """A wheel for any Python 3; with loops, for this platform alone."""

    def get_tag(self):
        """Return the tags of Python, ABI and platform."""
        platform = self.plat_name.replace("-", "_").replace(".", "_")
        return ("py3", "none", platform) if WITH_LOOPS else super().get_tag()


setup(
    packages=[
        *(package for package in find_namespace_packages(include=LAYERS) if package != SHIPPED or WITH_LOOPS),
        EXAMPLES,
        *(f"{EXAMPLES}.{folder}" for folder in find_namespace_packages("examples")),
    ],
    package_dir={EXAMPLES: "examples"},
    cmdclass={"bdist_wheel": Wheel},
)
