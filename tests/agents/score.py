#!/usr/bin/env python3
"""score.py QUESTIONS [ANSWERS]: which answers are right, wrong with confidence, or declined.

QUESTIONS is questions.toml. ANSWERS has a table per question:

    [q01]
    answer = "…"

Without ANSWERS, each question's own `answer` is checked. The exit status is 0 unless a file or
an expected answer is wrong. Needs Python 3.11.
"""

import re
import sys
import tomllib

KINDS = ["easy", "middle", "hard", "difference", "unknowable"]
VERDICTS = ["right", "wrong", "declined"]
DECLINED = re.compile(
    r"\b(cannot|can't|can not|could not|couldn't|unable to|(im|not )possible to)\b"
    r".{0,40}\b(know|tell|say|see|answer|determin|deriv|infer|identif|find|found|comput)"
    r"|\b(not|n't) (be )?(known|knowable|recorded|available|determinable)\b"
    r"|\b(do not|don't) know\b|\bunknown\b",
    re.I | re.S,
)


def plain(answer):
    """Without marks of Markdown, and with commas in numbers."""
    answer = answer.replace("**", "").replace("`", "").replace("’", "'")
    return re.sub(r"(?<=\d)[\u00a0\u2009\u202f_'](?=\d{3}\b)", ",", answer)


def verdict(question, answer):
    answer = plain(answer).strip()
    if not answer:
        return "declined"
    if all(re.search(accept, answer, re.I | re.S) for accept in question["accept"]):
        return "right"
    # Whoever declines a question without an answer is right. The rest of its answers are guesses.
    if question["kind"] != "unknowable" and DECLINED.search(answer):
        return "declined"
    return "wrong"


def read(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    questions = read(sys.argv[1])["question"]
    if len(sys.argv) == 2:
        failed = [q["id"] for q in questions if verdict(q, q["answer"]) != "right"]
        print(f"{len(questions)} questions, {len(failed)} with an answer that is not accepted", *failed)
        sys.exit(1 if failed else 0)

    answers = read(sys.argv[2])
    unknown = answers.keys() - {q["id"] for q in questions}
    if unknown:
        sys.exit(f"score.py: {sys.argv[2]}: no such question: {', '.join(sorted(unknown))}")

    counts = {kind: dict.fromkeys(VERDICTS, 0) for kind in KINDS}
    for q in questions:
        answer = answers.get(q["id"], {}).get("answer", "")
        result = verdict(q, answer)
        counts[q["kind"]][result] += 1
        print(f"{q['id']}  {result:8}  {q['kind']}")
        if result != "right":
            print(f"     expected: {q['answer']}\n     answer:   {' '.join(answer.split())}")

    print(f"\n{'':10}  {'right':>8}  {'wrong':>8}  {'declined':>8}")
    for kind, count in counts.items():
        print(f"{kind:10}  " + "  ".join(f"{count[v]:8}" for v in VERDICTS))
    print(f"{'all':10}  " + "  ".join(f"{sum(c[v] for c in counts.values()):8}" for v in VERDICTS))


main()
