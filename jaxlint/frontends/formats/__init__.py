"""How findings are written: one file for each format, all from one :class:`Report`."""
