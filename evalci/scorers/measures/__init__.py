"""The pure arithmetic behind scorers: text made comparable, numbers read out of prose, fields, distances, choices."""
