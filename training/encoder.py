"""Learns an adapter of an encoder, for questions and passages, from pairs of them.

Input are files of JSON lines, one set a line:

    {"name": str, "passages": [[form, ...], ...], "pairs": [{"questions": [form, ...], "passage": int, "also": [int, ...]}],
     "weight": float, "negatives": int, "base_share": float, "held_out": bool}

A step takes questions of one set or several, with the passages that answer them. Without other options it is what
`aforesaid-studies adapter` does: symmetric cross-entropy of cosines within the questions of one set.

Output are JSON lines: a line for each look at the sets that are held out, and at the end one with the settings.
"""

import argparse
import hashlib
import json
import os
import random
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

# Products have a fixed order of sums only with this, and only where it is set before the device is used.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from network import Network, encoded, rate_at, read_updates, write

# How far above its own passage's cosine a hard passage's may be, and how many of them a question has (negatives.rs).
MARGIN, MOST_HARD = 0.1, 8
# The longest gradient (adam.rs).
LONGEST = 1.0
# Tokens of a pass, with gradients and without, padding included. Short passes waste less on padding, and start more kernels.
PASS_TOKENS = {"cuda": (32_768, 131_072), "cpu": (2_048, 2_048)}
# Tokens of a step above which a pass is computed a second time for its gradient, so that only one is in memory.
MOST_KEPT_TOKENS = 131_072
# Cosines that are computed at once where hard passages are looked for.
MOST_COSINES = 1 << 26


class Texts:
    """Texts as tokens, each once for each length at which it is cut. A text is known by its row."""

    def __init__(self):
        self.rows = {}

    def row(self, text, max_tokens):
        return self.rows.setdefault((text, max_tokens), len(self.rows))

    def read(self, tokenizer, device):
        """Reads all texts, of which there will be no more."""
        tokens = [None] * len(self.rows)
        for most in {most for _, most in self.rows}:
            texts, rows = zip(*((text, row) for (text, cut), row in self.rows.items() if cut == most), strict=True)
            for row, (ids, _) in zip(rows, encoded(tokenizer, list(texts), most), strict=True):
                tokens[row] = ids
        self.lengths = [len(ids) for ids in tokens]
        lengths = torch.tensor(self.lengths)
        self.of_rows = lengths.to(device)
        self.starts = (lengths.cumsum(0) - lengths).to(device)
        self.ids = torch.tensor([id for ids in tokens for id in ids]).to(device)
        self.device = device

    def padded(self, rows):
        """Ids, segments and mask, `[texts, tokens]`; the length is a multiple of 8, which products of tensor cores like."""
        most = (max(self.lengths[row] for row in rows) + 7) // 8 * 8
        rows = torch.tensor(rows).to(self.device)
        places = torch.arange(most, device=self.device)
        mask = places < self.of_rows[rows][:, None]
        ids = self.ids[torch.where(mask, self.starts[rows][:, None] + places, 0)]
        ids = torch.where(mask, ids, 0)
        return ids, torch.zeros_like(ids), mask


@dataclass
class Set:
    """A set whose texts are rows of `Texts`."""

    name: str
    # All forms of a passage, and the one that is looked at.
    passages: list
    firsts: list
    questions: list
    # The first form of a question, as text: what a teacher's scores are found by.
    asked: list
    targets: list
    # Of each question the places of all passages that answer it.
    answers: list
    weight: float
    negatives: int
    base_share: float
    # Of each question, hard passages that do not answer it.
    hard: list = field(default_factory=list)
    # Of each question its passages and their scores by a teacher, or None.
    taught: list = field(default_factory=list)


@dataclass
class Group:
    """What a step takes of one set. The first passages belong to the questions, in their order; the others to none."""

    set: Set
    pairs: list
    questions: list
    places: list
    passages: list


class Encoder:
    """Vectors of texts by a network."""

    def __init__(self, network, texts):
        self.network, self.texts = network, texts
        self.kind = texts.device.type

    def vectors(self, rows, merged, with_gradient=False, in_full=False):
        """Vectors of length 1, `[rows, width]`; `in_full` computes in 32 bits."""
        budget = PASS_TOKENS[self.kind][0 if with_gradient else 1]
        lengths = self.texts.lengths
        order = sorted(range(len(rows)), key=lambda place: lengths[rows[place]])
        again = with_gradient and sum(lengths[row] for row in rows) > MOST_KEPT_TOKENS
        # A pass as a function of nothing but its tokens, so that it can be computed twice.
        pooled = lambda *tokens: self._pooled(merged, in_full, *tokens)
        found = []
        for part in passes([lengths[rows[place]] for place in order], budget):
            tokens = self.texts.padded([rows[order[i]] for i in part])
            found.append(checkpoint(pooled, *tokens, use_reentrant=False) if again else pooled(*tokens))
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return torch.cat(found)[back.to(self.texts.device)]

    def _pooled(self, merged, in_full, ids, segments, mask):
        with torch.autocast(self.kind, torch.bfloat16, enabled=self.kind == "cuda" and not in_full):
            hidden = self.network.hidden(merged, ids, segments, mask)
        mask = mask[:, :, None]
        return F.normalize((hidden.float() * mask).sum(1) / mask.sum(1), dim=-1)

    @torch.no_grad()
    def looked(self, rows, merged, in_full=False):
        """Vectors without gradients and dropout."""
        self.network.eval()
        found = self.vectors(rows, merged, in_full=in_full)
        self.network.train()
        return found


def passes(lengths, budget):
    """Ranges of texts sorted by length whose padded tokens stay within a budget."""
    start = 0
    for end, length in enumerate(lengths):
        if end > start and length * (end + 1 - start) > budget:
            yield range(start, end)
            start = end
    yield range(start, len(lengths))


class Base:
    """Vectors by the model as it was published. They never change, so that each text is encoded once, when it is asked for."""

    def __init__(self, encoder):
        self.encoder, self.merged = encoder, encoder.network.published()
        count, width = len(encoder.texts.lengths), encoder.network.config["hidden_size"]
        self.table = torch.zeros(count, width, device=encoder.texts.device)
        self.known = set()

    def vectors(self, rows):
        missing = sorted(set(rows) - self.known)
        if missing:
            self.table[torch.tensor(missing).to(self.table.device)] = self.encoder.looked(missing, self.merged)
            self.known.update(missing)
        return self.table[torch.tensor(rows).to(self.table.device)]


class Average:
    """The parameters, or a mean of them over steps: a moving one, or that of the last steps."""

    def __init__(self, parameters, settings):
        self.parameters = parameters
        self.decay, self.last, self.steps = settings.average, settings.average_last, settings.steps
        self.values = [value.detach().clone() for value in parameters] if self.decay or self.last else None

    @torch.no_grad()
    def take(self, done):
        """Takes in what the parameters are after some steps."""
        if self.values is None:
            return
        if self.last:
            # Before the last steps begin it is the parameters of now.
            share = 1 / max(done - (self.steps - self.last), 1)
        else:
            # At first the mean would be that of the beginning.
            share = 1 - min(self.decay, (1 + done) / (10 + done))
        for value, parameter in zip(self.values, self.parameters, strict=True):
            value.lerp_(parameter, share)

    def of_now(self):
        return [value.detach().clone() for value in self.values or self.parameters]


def contrast(questions, passages, scale, belongs, taught=None):
    """Symmetric cross-entropy of cosines times `scale`, the mean over questions and passages (contrast.rs).

    Question `i` belongs to passage `i`; passages beyond the last question belong to none. `belongs` is true where a passage
    answers a question too: such a pair is no wrong one. `taught` are the vectors of the same texts by the base, and the
    part of the target that its softmax is.
    """
    count = len(questions)
    by_question, by_passage = log_shares(questions, passages, scale, belongs)
    own = torch.eye(count, len(passages), device=questions.device)
    own_question, own_passage = own, own[:, :count]
    if taught:
        *vectors, share = taught
        of_base = log_shares(*vectors, scale, belongs)
        own_question = own_question.lerp(of_base[0].exp(), share)
        own_passage = own_passage.lerp(of_base[1].exp(), share)
    lost = cross_entropy(own_question, by_question, belongs) + cross_entropy(own_passage, by_passage, belongs[:, :count])
    return 0.5 * lost / count


def log_shares(questions, passages, scale, belongs):
    """The logarithms of each question's shares, and of those of each passage that belongs to a question."""
    scores = (scale * questions @ passages.T).masked_fill(belongs, -torch.inf)
    return scores.log_softmax(1), scores[:, : len(questions)].log_softmax(0)


def cross_entropy(target, logs, left_out):
    # A share of 0 times the logarithm of 0 is no number.
    return -(target * logs.masked_fill(left_out, 0)).sum()


class Trainer:
    def __init__(self, settings, texts, sets, held_out, network):
        self.settings, self.sets, self.held_out = settings, sets, held_out
        self.network, self.encoder = network, Encoder(network, texts)
        self.device = texts.device
        self.draws = random.Random(settings.seed)
        self.base = Base(self.encoder) if any(set.base_share > 0 for set in sets) else None
        self.parameters = list(network.parameters())
        self.adam = torch.optim.AdamW(
            self.parameters, lr=settings.rate, weight_decay=0.01, fused=self.device.type == "cuda"
        )
        self.average = Average(self.parameters, settings)
        self.best = None

    def run(self, report):
        settings = self.settings
        losses, first = [], None
        for step in range(settings.steps + 1):
            if step % max(settings.look_every, 1) == 0 or step == settings.steps:
                found = self.look()
                first = first or found
                loss = torch.stack(losses).mean().item() if losses else None
                if loss is not None and loss != loss:
                    raise SystemExit(f"the loss before step {step} is not a number; a smaller --rate may help")
                report({"step": step, "loss": loss and round(loss, 4)} | summary(self.held_out, found))
                self.keep(found, first)
                losses = []
            if step < settings.steps:
                if step == 0 or settings.refresh and step % settings.refresh == 0:
                    self.mine()
                losses.append(self.step(step))

    def step(self, step):
        groups = self.drawn()
        loss = self.loss(groups)
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, LONGEST)
        for group in self.adam.param_groups:
            group["lr"] = rate_at(step, self.settings.steps, self.settings.rate)
        self.adam.step()
        self.average.take(step + 1)
        return loss.detach()

    def drawn(self):
        """What a step takes. A set that is drawn several times gives as many times the questions."""
        settings = self.settings
        usable = [place for place, set in enumerate(self.sets) if len(set.targets) > 1 and set.weight > 0]
        weights = [self.sets[place].weight for place in usable]
        times = Counter(self.draws.choices(usable, weights, k=settings.sets_per_step))
        share = max(settings.batch // settings.sets_per_step, 2)
        return [self.group(self.sets[place], share * count, count) for place, count in times.items()]

    def group(self, set, most, times):
        pairs = self.draws.sample(range(len(set.targets)), min(most, len(set.targets)))
        questions = [self.question_form(set.questions[pair]) for pair in pairs]
        places = [set.targets[pair] for pair in pairs]
        taken = {*places}
        room = len(places) + set.negatives * times
        for pair in pairs:
            if set.hard and set.hard[pair] and len(places) < room:
                place = self.draws.choice(set.hard[pair])
                if place not in taken:
                    places.append(place)
                    taken.add(place)
        others = self.settings.all_passages - len(places)
        if others > 0:
            left = [place for place in range(len(set.passages)) if place not in taken]
            places += self.draws.sample(left, min(others, len(left)))
        passages = [self.draws.choice(set.passages[place]) for place in places]
        return Group(set, pairs, questions, places, passages)

    def question_form(self, forms):
        """One of the forms of a question: the one without names, which is the shortest, as often as is asked for."""
        share = self.settings.questions_bare_share
        if share is None or len(forms) == 1:
            return self.draws.choice(forms)
        bare = min(forms, key=lambda row: self.encoder.texts.lengths[row])
        if self.draws.random() < share:
            return bare
        return self.draws.choice([form for form in forms if form != bare] or forms)

    def loss(self, groups):
        scale = self.settings.scale
        taught = self.taught(groups)
        rows = [row for group in groups for row in group.questions + group.passages]
        rows += [row for _, passages, _ in taught for row in passages]
        # A text that comes twice is encoded once.
        rows = list(dict.fromkeys(rows))
        place_of = {row: place for place, row in enumerate(rows)}
        vectors = self.encoder.vectors(rows, self.network.merged(), with_gradient=True)
        of = lambda rows: vectors[torch.tensor([place_of[row] for row in rows]).to(self.device)]
        count = sum(len(group.pairs) for group in groups)
        loss = 0.0
        for group in groups:
            passages, belongs = self.beside(group, groups)
            by_base = None
            if self.base and group.set.base_share > 0:
                by_base = self.base.vectors(group.questions), self.base.vectors(passages), group.set.base_share
            found = contrast(of(group.questions), of(passages), scale, belongs, by_base)
            loss = loss + found * (len(group.pairs) / count)
        if taught:
            questions, passages, scores = zip(*taught, strict=True)
            loss = loss + self.settings.teacher_share / count * self.divergence(of, questions, passages, scores)
        return loss

    def beside(self, group, groups):
        """The passages that questions are told from, and which of them answer a question without being the one it belongs to."""
        places, passages = {}, list(group.passages)
        for column, place in enumerate(group.places):
            places.setdefault(place, []).append(column)
        # Other sets may have the same conversation: a passage of theirs is known by its text.
        firsts, seen = {}, {group.set.firsts[place] for place in group.places}
        if self.settings.across:
            for other in groups:
                for place, passage in zip(other.places, other.passages, strict=True):
                    first = other.set.firsts[place]
                    if other is not group and first not in seen:
                        seen.add(first)
                        firsts[first] = len(passages)
                        passages.append(passage)
        answered = []
        for question, pair in enumerate(group.pairs):
            for place in group.set.answers[pair]:
                answered += [(question, column) for column in places.get(place, ()) if column != question]
                if group.set.firsts[place] in firsts:
                    answered.append((question, firsts[group.set.firsts[place]]))
        return passages, matrix(answered, len(group.pairs), len(passages)).to(self.device)

    def taught(self, groups):
        """Questions of a step that a teacher has scores for: the question, some of its passages and their scores."""
        most, found = self.settings.teacher_passages, []
        for group in groups:
            for pair, question in zip(group.pairs, group.questions, strict=True):
                if not group.set.taught or group.set.taught[pair] is None:
                    continue
                scored = group.set.taught[pair]
                scored = self.draws.sample(scored, most) if len(scored) > most else scored
                passages = [self.draws.choice(group.set.passages[place]) for place, _ in scored]
                found.append((question, passages, [score for _, score in scored]))
        return found

    def divergence(self, of, questions, passages, scores):
        """How far the shares of passages are from a teacher's (Kullback and Leibler), the sum over questions."""
        most = max(map(len, passages))
        filled = [of_question + [of_question[0]] * (most - len(of_question)) for of_question in passages]
        teacher = [of_question + [-torch.inf] * (most - len(of_question)) for of_question in scores]
        teacher = torch.tensor(teacher).to(self.device)
        left_out = teacher == -torch.inf
        vectors = of([row for rows in filled for row in rows]).view(len(questions), most, -1)
        cosines = (vectors @ of(questions)[:, :, None])[:, :, 0]
        logs = (self.settings.scale * cosines).masked_fill(left_out, -torch.inf).log_softmax(1).masked_fill(left_out, 0)
        of_teacher = (self.settings.teacher_scale * teacher).log_softmax(1)
        return (of_teacher.exp() * (of_teacher.masked_fill(left_out, 0) - logs)).sum()

    def mine(self):
        """Looks for hard passages with the network as it is."""
        mined = [set for set in self.sets if set.negatives > 0 and set.weight > 0]
        rows = sorted({row for set in mined for row in set.firsts + [forms[0] for forms in set.questions]})
        if not rows:
            return
        with torch.no_grad():
            vectors = self.encoder.looked(rows, self.network.merged())
        place_of = {row: place for place, row in enumerate(rows)}
        of = lambda rows: vectors[torch.tensor([place_of[row] for row in rows]).to(self.device)]
        for set in mined:
            questions, passages = of([forms[0] for forms in set.questions]), of(set.firsts)
            set.hard = []
            chunk = max(MOST_COSINES // len(passages), 1)
            for start in range(0, len(questions), chunk):
                end = min(start + chunk, len(questions))
                targets, answers = set.targets[start:end], set.answers[start:end]
                set.hard += hard_passages(questions[start:end], passages, targets, answers)

    @contextmanager
    def kept(self):
        """The network has what would be written: the mean where one is taken, and of the update the part that is kept."""
        learned = [value.detach().clone() for value in self.parameters]
        of_now = self.average.of_now()
        ups = {id(self.network.update(map)[1]) for map in self.network.maps}
        for parameter, value in zip(self.parameters, of_now, strict=True):
            parameter.data.copy_(value * self.settings.strength if id(parameter) in ups else value)
        yield
        for parameter, value in zip(self.parameters, learned, strict=True):
            parameter.data.copy_(value)

    @torch.no_grad()
    def look(self):
        """Of each set held out the rank of each question's first answer among all passages, by cosine; the best is 1."""
        rows = sorted({row for set in self.held_out for row in set.firsts + [forms[0] for forms in set.questions]})
        if not rows:
            return []
        with self.kept():
            vectors = self.encoder.looked(rows, self.network.merged(), in_full=True)
        place_of = {row: place for place, row in enumerate(rows)}
        of = lambda rows: vectors[torch.tensor([place_of[row] for row in rows]).to(self.device)]
        return [ranks(of([forms[0] for forms in set.questions]), of(set.firsts), set) for set in self.held_out]

    def keep(self, found, first):
        """Keeps what would be written now, where it is the last or the best step so far."""
        mean = lambda ranks: (1 / ranks).mean().item()
        if self.settings.keep == "last" or not found:
            worth = float("inf")
        elif self.settings.keep == "mean":
            worth = sum(map(mean, found)) / len(found)
        else:
            worth = min(mean(now) - mean(before) for now, before in zip(found, first, strict=True))
        if self.best is None or worth > self.best[0] or worth == float("inf"):
            with self.kept():
                self.best = worth, {name: tensor.clone() for name, tensor in self.network.updates().items()}


def matrix(places, rows, columns):
    """True at some places."""
    found = torch.zeros(rows, columns, dtype=torch.bool)
    if places:
        found[tuple(torch.tensor(places).T)] = True
    return found


def answer_matrix(answers, columns):
    places = [(question, place) for question, of_question in enumerate(answers) for place in of_question]
    return matrix(places, len(answers), columns)


def hard_passages(questions, passages, targets, answers):
    """Of each question the likest passages that do not answer it and are not above its own by a margin (negatives.rs)."""
    cosines = questions @ passages.T
    own = cosines.gather(1, torch.tensor(targets).to(cosines.device)[:, None])
    left_out = answer_matrix(answers, len(passages)).to(cosines.device) | (cosines > own + MARGIN)
    scores, places = cosines.masked_fill(left_out, -torch.inf).topk(min(MOST_HARD, len(passages)))
    found = zip(scores.tolist(), places.tolist(), strict=True)
    return [[place for score, place in zip(*row, strict=True) if score > -torch.inf] for row in found]


def ranks(questions, passages, set):
    """Ranks of first answers. Of equal cosines the wrong ones come first."""
    cosines = questions @ passages.T
    answers = answer_matrix(set.answers, len(passages)).to(cosines.device)
    best = cosines.masked_fill(~answers, -torch.inf).amax(1, keepdim=True)
    return (((cosines >= best) & ~answers).sum(1) + 1).double().cpu()


def summary(sets, found):
    """Mean reciprocal ranks and how often an answer is among the first ten: of each set, of kinds of sets, of all of them."""
    if not found:
        return {}
    of_set = {
        set.name: {"mrr": (1 / ranks).mean().item(), "r10": (ranks <= 10).double().mean().item(), "questions": len(ranks)}
        for set, ranks in zip(sets, found, strict=True)
    }
    kinds = {}
    for name, measured in of_set.items():
        kinds.setdefault(name.split("-")[0], []).append(measured)
    means = {"mean": mean_of(of_set.values())}
    if 1 < len(kinds) < len(of_set):
        means["kinds"] = {kind: mean_of(measured) for kind, measured in kinds.items()}
    return {"held_out": {name: rounded(measured) for name, measured in of_set.items()}} | means


def mean_of(measured):
    """Means over sets, each counted once."""
    measured = list(measured)
    means = {name: sum(of_set[name] for of_set in measured) / len(measured) for name in ("mrr", "r10")}
    return rounded(means | {"sets": len(measured)})


def rounded(values):
    return {name: round(value, 4) for name, value in values.items()}


def read_sets(settings, texts):
    """The sets to learn from, and those held out."""
    lines = [json.loads(line) for path in settings.sets for line in Path(path).read_text().splitlines() if line.strip()]
    learned, held_out = [], []
    for line in lines:
        if line.get("held_out") or begins(line["name"], settings.hold_out):
            held_out.append(read_set(line, texts, settings, settings.look_tokens or settings.max_tokens))
        elif not begins(line["name"], settings.without):
            learned.append(read_set(line, texts, settings, settings.max_tokens))
    for set in learned:
        set.weight = ruled(set.name, settings.weight, set.weight)
        set.base_share = ruled(set.name, settings.base_share, set.base_share)
        set.negatives = set.negatives if settings.negatives is None else settings.negatives
    held_out = [set for set in held_out if set.targets]
    twice = [name for name, count in Counter(set.name for set in held_out).items() if count > 1]
    if twice:
        raise SystemExit(f"sets held out with one name: {', '.join(twice)}; expected a name for each")
    return learned, held_out


def read_set(line, texts, settings, max_tokens):
    name, pairs, passages = line["name"], line["pairs"], line["passages"]
    there = range(len(passages))
    fits = all(pair["questions"] and all(place in there for place in (pair["passage"], *pair.get("also", ()))) for pair in pairs)
    if not fits or not all(passages):
        raise SystemExit(f"a pair of {name!r} without a question or a passage; expected both, each with a form")
    forms = [[texts.row(form, max_tokens) for form in passage] for passage in passages]
    # Passages of pairs with the same question answer it too.
    same = {}
    for pair in pairs:
        same.setdefault(pair["questions"][0], set()).add(pair["passage"])
    return Set(
        name=name,
        passages=forms,
        firsts=[passage[0] for passage in forms],
        questions=[[texts.row(form, settings.query_tokens) for form in pair["questions"]] for pair in pairs],
        asked=[pair["questions"][0] for pair in pairs],
        targets=[pair["passage"] for pair in pairs],
        answers=[sorted({*same[pair["questions"][0]], *pair.get("also", ())}) for pair in pairs],
        weight=max(line.get("weight", 1.0), 0.0),
        negatives=line.get("negatives", 0),
        base_share=min(max(line.get("base_share", 0.0), 0.0), 1.0),
    )


def begins(name, starts):
    return any(name.startswith(start) for start in starts)


def ruled(name, rules, value):
    """A set's value by the rules of an option; the last that fits counts."""
    for start, number in rules:
        value = number if name.startswith(start) else value
    return value


def read_teacher(path, sets):
    """Gives the scores of a teacher to the questions of sets, and tells how many there are."""
    scored = {}
    for line in Path(path).read_text().splitlines():
        if line.strip():
            entry = json.loads(line)
            scored[entry["set"], entry["question"]] = list(zip(entry["passages"], entry["scores"], strict=True))
    for set in sets:
        set.taught = [scored.get((set.name, question)) or None for question in set.asked]
    taught = sum(entry is not None for set in sets for entry in set.taught)
    if not taught:
        raise SystemExit(f"no question of {path} is one of the sets; expected their names and first forms")
    return taught


def rules(text):
    """The rules of an option: what names of sets begin with, and a number for them."""
    found = [rule.rpartition("=") for rule in text.split(",")]
    return [(start, float(number)) for start, _, number in found]


def names(text):
    return [name for name in text.split(",") if name]


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("sets", nargs="+", metavar="FILE", help="sets as JSON lines")
    add("--model", required=True, help="the folder of the published model, named as its adapters name it")
    add("--out", help="the adapter to write")
    add("--note", help="what the file says it was learned from [default: the sets' names]")
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    add("--hold-out", type=names, default=[], help="sets that are looked at only, by what their names begin with")
    add("--without", type=names, default=[], help="sets that are not learned from, by what their names begin with")
    add("--weight", type=rules, default=[], metavar="START=W,...", help="how often sets are drawn")
    add("--base-share", type=rules, default=[], metavar="START=S,...", help="the part of the target that the base is, of sets")
    add("--negatives", type=int, help="hard passages of a set's questions in a step [default: what the set says]")
    add("--refresh", type=int, default=0, help="steps after which hard passages are looked for again; 0: never")
    add("--rank", type=int, default=32)
    add("--steps", type=int, default=300)
    add("--batch", type=int, default=48, help="questions of a step, of all its sets")
    add("--rate", type=float, default=1e-3, help="the largest step width")
    add("--scale", type=float, default=20.0, help="what cosines are multiplied with")
    add("--strength", type=float, default=1.0, help="the part of the update that is kept, with what it began with")
    add("--dropout", type=float, default=0.0)
    add("--max-tokens", type=int, default=80, help="tokens of a passage")
    add("--query-tokens", type=int, default=128, help="tokens of a question")
    add("--look-tokens", type=int, help="tokens of a passage held out [default: --max-tokens]")
    add("--seed", type=int, default=17)
    add("--sets-per-step", type=int, default=1, help="sets that a step draws, with replacement")
    add("--across", action="store_true", help="questions are told from passages of the step's other sets too")
    add("--all-passages", type=int, default=0, metavar="N", help="questions are told from N passages of their set")
    add("--teacher", help="scores of passages as JSON lines")
    add("--teacher-share", type=float, default=1.0, help="what the divergence from the teacher counts; the rest counts 1")
    add("--teacher-scale", type=float, default=1.0, help="what the teacher's scores are multiplied with")
    add("--teacher-passages", type=int, default=32, help="passages with a teacher's score of a question in a step, at most")
    add("--average", type=float, default=0.0, metavar="DECAY", help="write the moving average of the parameters")
    add("--average-last", type=int, default=0, metavar="STEPS", help="write the mean of the parameters of the last steps")
    add("--questions-bare-share", type=float, help="how often a question is drawn without names [default: forms alike]")
    add("--begin", metavar="FILE", help="begin with the update of an adapter of the same rank")
    add("--look-every", type=int, default=50, help="steps between two looks at what is held out")
    add("--keep", choices=("last", "mean", "worst"), default="last", help="the step that is written: the last, the one of the "
        "best mean over the sets held out, or the one that gains most where it gains least")
    return parser


def checked(parser):
    settings = parser.parse_args()
    if settings.average and settings.average_last:
        parser.error("--average with --average-last: expected one of them")
    if not 0 < settings.strength <= 1:
        parser.error(f"--strength {settings.strength}: expected a number above 0, at most 1")
    if not 0 <= settings.average < 1:
        parser.error(f"--average {settings.average}: expected a number from 0, below 1")
    if min(settings.sets_per_step, settings.batch, settings.rank) < 1:
        parser.error("--sets-per-step, --batch and --rank: expected numbers above 0")
    return settings


def begun(network, path, rank):
    updates, others, about = read_updates(path)
    shapes = {update[0].shape[0] for update in updates.values()}
    if others or shapes != {rank} or set(updates) != set(network.maps):
        raise SystemExit(f"{path} has the ranks {sorted(shapes)} and {len(updates)} maps; expected {rank}, {len(network.maps)}")
    network.begin(updates)
    return about["note"]


def note_of(settings, sets, begun_with):
    learned = [set for set in sets if set.weight > 0]
    pairs = sum(len(set.targets) for set in learned)
    note = settings.note or f"{pairs} pairs of {', '.join(set.name for set in learned)}"
    return f"{begun_with}; then {note}" if begun_with else note


def main():
    settings = checked(options())
    started = time.monotonic()
    torch.manual_seed(settings.seed)
    torch.use_deterministic_algorithms(True, warn_only=True)
    # Filling memory that is written anyway takes time.
    torch.utils.deterministic.fill_uninitialized_memory = False
    device = torch.device(settings.device)
    network = Network(settings.model, settings.rank, settings.seed, settings.dropout)
    begun_with = begun(network, settings.begin, settings.rank) if settings.begin else None
    texts = Texts()
    sets, held_out = read_sets(settings, texts)
    if not any(len(set.targets) > 1 and set.weight > 0 for set in sets):
        raise SystemExit("no set with two questions and a weight to learn from")
    taught = read_teacher(settings.teacher, sets) if settings.teacher else 0
    texts.read(network.tokenizer, device)
    trainer = Trainer(settings, texts, sets, held_out, network.to(device))
    read = time.monotonic()
    trainer.run(lambda line: print(json.dumps(line), flush=True))
    end = {"settings": vars(settings), "taught": taught}
    end |= {"sets": len(sets), "pairs": sum(len(set.targets) for set in sets), "texts": len(texts.lengths)}
    if settings.out:
        about = {"format": "adapter-1", "base": Path(settings.model).resolve().name}
        write(settings.out, trainer.best[1], about | {"note": note_of(settings, sets, begun_with)})
        end["sha256"] = hashlib.sha256(Path(settings.out).read_bytes()).hexdigest()
    if device.type == "cuda":
        end["memory"] = torch.cuda.max_memory_allocated()
    end |= {"reading_seconds": round(read - started, 1), "seconds": round(time.monotonic() - started, 1)}
    print(json.dumps(end), flush=True)


if __name__ == "__main__":
    main()
