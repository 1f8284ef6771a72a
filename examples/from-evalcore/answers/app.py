"""The program under test: knows three capitals, reads a question, prints JSON."""

import json
import sys

CAPITALS = {"France": "Paris", "Japan": "Tokyo", "Italy": "Rome"}
question = sys.stdin.read()
country = next((name for name in CAPITALS if name in question), None)
answer = f"{CAPITALS[country]} is the capital of {country}." if country else "I do not know that capital."
sys.stdout.write(json.dumps({"answer": answer}))
