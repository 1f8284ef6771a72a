"""An order in words on stdin ("3 notebook, 1 pen"), its price quote as JSON on stdout."""

import json
import re
import sys

CENTS = {"notebook": 350, "pen": 120, "stapler": 899, "desk lamp": 4900}
FREE_SHIPPING_FROM = 5000
SHIPPING = 490


def quote(order: str) -> dict[str, object]:
    """Lines, shipping and total of an order, or what is wrong with it."""
    lines = []
    for part in order.strip().split(","):
        match = re.fullmatch(r"\s*(\d+)\s+([a-z ]+?)s?\s*", part)
        if match is None or match[2] not in CENTS:
            return {"error": f"not on the price list: {part.strip()}"}
        count, name = int(match[1]), match[2]
        lines.append({"cents": count * CENTS[name], "count": count, "item": name})
    goods = sum(line["cents"] for line in lines)
    shipping = 0 if goods >= FREE_SHIPPING_FROM else SHIPPING
    return {"currency": "EUR", "lines": lines, "shipping": shipping, "total": goods + shipping}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(quote(sys.stdin.read()), sort_keys=True, separators=(",", ":")))
