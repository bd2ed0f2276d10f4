class SimpleNamespace:
    def __init__(self, mapping_or_iterable=(), /, **kwargs):
        given = {**dict(mapping_or_iterable), **kwargs}
        for name in given:
            setattr(self, name, given[name])
