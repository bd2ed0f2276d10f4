"""More for what is good."""


class Bonus:
    def __init__(self, amount=1.0):
        self.amount = amount

    def __call__(self, reward):
        if reward > 0:  # here: bonus
            return reward + self.amount
        return reward
