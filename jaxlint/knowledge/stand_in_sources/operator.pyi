def add(a, b):
    return a + b

def sub(a, b):
    return a - b

def mul(a, b):
    return a * b

def truediv(a, b):
    return a / b

def floordiv(a, b):
    return a // b

def mod(a, b):
    return a % b

def pow(a, b):
    return a**b

def matmul(a, b):
    return a @ b

def and_(a, b):
    return a & b

def or_(a, b):
    return a | b

def xor(a, b):
    return a ^ b

def neg(a):
    return -a

def pos(a):
    return +a

def invert(a):
    return ~a

def not_(a):
    return not a

def truth(a):
    return bool(a)

def eq(a, b):
    return a == b

def ne(a, b):
    return a != b

def lt(a, b):
    return a < b

def le(a, b):
    return a <= b

def gt(a, b):
    return a > b

def ge(a, b):
    return a >= b

def is_(a, b):
    return a is b

def is_not(a, b):
    return a is not b

def contains(a, b):
    return b in a

def getitem(a, b):
    return a[b]

def setitem(a, b, c):
    a[b] = c

class itemgetter:
    def __init__(self, *items):
        self.items = items

    def __call__(self, obj):
        if len(self.items) == 1:
            return obj[self.items[0]]
        return tuple([obj[item] for item in self.items])

class attrgetter:
    def __init__(self, *attrs):
        self.attrs = attrs

    def __call__(self, obj):
        if len(self.attrs) == 1:
            return _value(obj, self.attrs[0])
        return tuple([_value(obj, attr) for attr in self.attrs])

class methodcaller:
    def __init__(self, name, *args, **kwargs):
        self.name, self.args, self.kwargs = name, args, kwargs

    def __call__(self, obj):
        return getattr(obj, self.name)(*self.args, **self.kwargs)

def _value(obj, attr):
    return getattr(obj, attr) if "." not in attr else _below(obj)
