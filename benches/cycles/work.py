"""Writes and reads JSON, counts in a dictionary, sorts."""
import json, re, random

random.seed(1)
rows = [
    {"id": i, "name": "n%d" % (i * 7919 % 1000), "tags": [str(j * i) for j in range(5)], "v": i * 0.37}
    for i in range(4000)
]
text = json.dumps(rows)
rows, counts = json.loads(text), {}
for row in rows:
    for tag in row["tags"]:
        counts[tag] = counts.get(tag, 0) + len(row["name"])
ordered = sorted(rows, key=lambda row: (row["name"], row["v"]))
print(len(text), sum(sorted(counts.values())[:100]), len(re.findall(r"n\d+5", text)), len(ordered))
