"""What pyproject.toml has no words for: the fixtures are a package inside of jaxlint."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["jaxlint", "jaxlint.*"]), "jaxlint.fixtures"],
    package_dir={"jaxlint.fixtures": "fixtures"},
)
