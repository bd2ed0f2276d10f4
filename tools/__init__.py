"""Programs that write the data which jaxlint ships; none of them is part of the package."""
