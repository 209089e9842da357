"""The files of a model as sentence-transformers wants them."""

from pathlib import Path


def lay_out(directory, model):
    """sentence-transformers wants its own layout around the same weights."""
    from sentence_transformers import SentenceTransformer, models

    if model.exists():
        return
    (model / "0").mkdir(parents=True)
    for file in Path(directory).iterdir():
        (model / "0" / file.name).write_bytes(file.read_bytes())
    word = models.Transformer(str(model / "0"), max_seq_length=256)
    pooling = models.Pooling(word.get_word_embedding_dimension(), pooling_mode="mean")
    SentenceTransformer(modules=[word, pooling, models.Normalize()], device="cpu").save(str(model))
