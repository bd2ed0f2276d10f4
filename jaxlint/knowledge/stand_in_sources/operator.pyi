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

def itemgetter(*items):
    def get(obj):
        if len(items) == 1:
            return obj[items[0]]
        return tuple([obj[item] for item in items])

    return get

def attrgetter(*attrs):
    def get(obj):
        if len(attrs) == 1:
            return getattr(obj, attrs[0]) if "." not in attrs[0] else _below(obj)
        return tuple([getattr(obj, attr) if "." not in attr else _below(obj) for attr in attrs])

    return get

def methodcaller(name, *args, **kwargs):
    def call(obj):
        return getattr(obj, name)(*args, **kwargs)

    return call
