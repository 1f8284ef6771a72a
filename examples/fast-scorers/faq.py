"""Answers the question on stdin from a page of frequent questions."""

import sys

ANSWERS = {
    "refund": 'We refund what you return within 30 days. The page says "30 days from delivery".',
    "shipping": "Parcels leave our store within 2 working days. Delivery takes 3 to 5 days.",
    "warranty": "Every lamp has a warranty of 3 years.",
    "invoice": "You find your invoice in your account, under Orders.",
    "gift": "We wrap gifts for 4 euros. Choose it when you pay. You may add a card. Cards are free.",
}


def main() -> None:
    question = sys.stdin.read().lower()
    found = next((answer for word, answer in ANSWERS.items() if word in question), "")
    print(found or "Sorry, that is not on our page.")


if __name__ == "__main__":
    main()
