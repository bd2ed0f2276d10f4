"""Programs for those who work on jaxlint; none of them is part of the package."""
