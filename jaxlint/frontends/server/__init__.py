"""``jaxlint server``: the language server for editors. The only folder that imports pygls."""
