class _Field:
    name: str
