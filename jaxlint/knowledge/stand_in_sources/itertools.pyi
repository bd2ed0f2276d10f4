class chain:
    def __new__(cls, *iterables):
        return chain.from_iterable(iterables)

    @staticmethod
    def from_iterable(iterables):
        elements = []
        for iterable in iterables:
            elements = elements + list(iterable)
        return iter(elements)

def product(*iterables, repeat=1):
    rows = [()]
    for iterable in list(iterables) * repeat:
        rows = [(*row, each) for row in rows for each in iterable]
    return iter(rows)

def starmap(function, iterable):
    return iter([function(*each) for each in iterable])

def accumulate(iterable, func=None, *, initial=None):
    total, totals = initial, [] if initial is None else [initial]
    for each in iterable:
        if total is None:
            total = each
        else:
            total = total + each if func is None else func(total, each)
        totals.append(total)
    return iter(totals)

def islice(iterable, *bounds):
    if len(bounds) == 1:
        return iter(list(iterable)[: bounds[0]])
    return iter(list(iterable)[bounds[0] : bounds[1]])

def pairwise(iterable):
    elements = list(iterable)
    return zip(elements, elements[1:])

def takewhile(predicate, iterable):
    return iter([each for each in iterable if predicate(each)])

def dropwhile(predicate, iterable):
    return iter([each for each in iterable if not predicate(each)])

def filterfalse(function, iterable):
    return iter([each for each in iterable if not function(each)])
