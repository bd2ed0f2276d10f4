class param:
    def __init__(self, *values, marks=(), id=None):
        self.values = values

class _Request:
    def __init__(self, param):
        self.param = param
