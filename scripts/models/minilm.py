"""all-MiniLM-L6-v2 in numpy: texts in, unit vectors out. Six BERT layers need no framework."""

import json
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

HEADS = 12
EPSILON = 1e-12
LONGEST = 256  # tokens; sentence_bert_config.json


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """The float32 tensors of a safetensors file, by name."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    tensors = {}
    for name, entry in json.loads(raw[8:start]).items():
        if entry.get("dtype") == "F32":
            begin, end = entry["data_offsets"]
            tensors[name] = np.frombuffer(raw[start + begin : start + end], "<f4").reshape(entry["shape"])
    return tensors


def gelu(x: np.ndarray) -> np.ndarray:
    """The exact GELU, with the error function to about 1e-7 (Abramowitz and Stegun 7.1.26)."""
    z = np.abs(x) / np.sqrt(2.0)
    t = 1.0 / (1.0 + 0.3275911 * z)
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1.0 - poly * np.exp(-z * z))
    return 0.5 * x * (1.0 + erf)


def softmax(x: np.ndarray) -> np.ndarray:
    shifted = np.exp(x - x.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


class MiniLM:
    """The weights of one folder, ready to embed one text at a time."""

    def __init__(self, folder: Path) -> None:
        self.weights = read_safetensors(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)

    def embed(self, text: str) -> tuple[list[float], int]:
        """The text's vector of length 1, and how many tokens were read."""
        ids = self.tokenizer.encode(text).ids
        hidden = self._embeddings(ids)
        for layer in range(6):
            hidden = self._layer(f"encoder.layer.{layer}", hidden)
        mean = hidden.mean(axis=0)
        return (mean / np.linalg.norm(mean)).tolist(), len(ids)

    def _embeddings(self, ids: list[int]) -> np.ndarray:
        words = self.weights["embeddings.word_embeddings.weight"][ids]
        positions = self.weights["embeddings.position_embeddings.weight"][: len(ids)]
        segment = self.weights["embeddings.token_type_embeddings.weight"][0]
        return self._norm("embeddings.LayerNorm", words + positions + segment)

    def _layer(self, name: str, hidden: np.ndarray) -> np.ndarray:
        attended = self._linear(f"{name}.attention.output.dense", self._attend(f"{name}.attention.self", hidden))
        hidden = self._norm(f"{name}.attention.output.LayerNorm", hidden + attended)
        wide = gelu(self._linear(f"{name}.intermediate.dense", hidden))
        return self._norm(f"{name}.output.LayerNorm", hidden + self._linear(f"{name}.output.dense", wide))

    def _attend(self, name: str, hidden: np.ndarray) -> np.ndarray:
        length, width = hidden.shape
        query, key, value = (
            self._linear(f"{name}.{part}", hidden).reshape(length, HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        weights = softmax(query @ key.transpose(0, 2, 1) / np.sqrt(width / HEADS))
        return (weights @ value).transpose(1, 0, 2).reshape(length, width)

    def _linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _norm(self, name: str, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
        return centred / scale * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
