"""A suite as the page on scorers begins: a scorer is a plain function, and a task may call a model."""

from evalci import Case, Score, evaluate, llm
from evalci.scorers import judge, levenshtein


def answer(question):
    return llm.call("m", [{"role": "user", "content": question}], temperature=0).text


def mentions_the_year(output):
    return "1815" in output


def weighted(output, expected, case):
    return 1.0 if case.metadata.get("easy") else 0.5


def with_reasons(output, expected):
    missing = [word for word in expected.split() if word not in output]
    value = 1 - len(missing) / len(expected.split())
    return Score(scorer_name="coverage", value=value, metadata={"missing_words": missing})


async def graded(output, expected):
    reply = await llm.acall("m", [{"role": "user", "content": f"Is {output!r} the same as {expected!r}?"}])
    return 1.0 if reply.text.startswith("ok") else 0.0


def breaks(output):
    raise RuntimeError("a judge that is not there")


evaluate(
    name="biography",
    cases=[
        Case(id="q1", input="When was Ada Lovelace born? In 1815?", expected="1815", metadata={"easy": True}),
        Case(input="When was Charles Babbage born?", expected="1791"),
    ],
    task=answer,
    scorers=[
        levenshtein,
        mentions_the_year,
        weighted,
        with_reasons,
        graded,
        breaks,
        judge("A or B?", {"A": 1, "B": 0}, model="m"),
    ],
    prices={"m": {"input_per_1m": 1.0, "output_per_1m": 2.0}},
)

evaluate(name="unmeasured", cases=[Case(input="x")], task=str.upper, scorers=[breaks])
evaluate(name="unjudged", cases=[Case(input="x", expected="y")], task=str.upper, scorers=[levenshtein])
