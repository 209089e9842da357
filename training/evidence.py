"""Learns an evidence reranker from lists of candidates, as `aforesaid train evidence` does, where a GPU makes long trainings short.

    evidence.py learn --base DIR --lists FILE.. --out FILE      one reranker
    evidence.py choose --base DIR --lists FILE --out FILE       settings by leaving each history out, then one of all of them

It reads a question with its candidates as the program does, and writes what the program reads. Lists come from `aforesaid-studies reranker lists` and `aforesaid-studies evidence --only-lists`.
"""

import argparse
import itertools
import json
import sys
import time
from collections import Counter
from pathlib import Path

import torch
import torch.nn.functional as F

from network import Network, encoded, rate_at, read_updates, write

# Parts of a step's pairs, each as long as its longest pair.
PARTS = 6
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
HEAD = ("dense.weight", "dense.bias", "row.weight")
ANSWERS = ("answers.weight", "answers.bias")


class Reranker(Network):
    """A network with a dense layer and tanh over the first token, and a row of weights.

    With `--answers` a second row and a bias make the logit that a candidate answers.
    """

    def __init__(self, options, seed):
        super().__init__(options.base, options.rank, seed, options.dropout)
        width = self.config["hidden_size"]
        bound = width**-0.5
        draws = torch.Generator().manual_seed(seed + 1)
        # The published model's pooler is where the dense layer begins; nothing in the file says where the row does.
        self.dense = torch.nn.Parameter(self.weight("pooler.dense").clone())
        self.bias = torch.nn.Parameter(self.get_buffer("pooler_dense_bias").clone())
        self.row = torch.nn.Parameter((2 * torch.rand(width, generator=draws) - 1) * bound)
        if options.begin:
            updates, head, _ = read_updates(options.begin)
            self.begin(updates)
            for name, parameter in zip(HEAD, (self.dense, self.bias, self.row), strict=True):
                parameter.data.copy_(head[f"head.{name}"].view_as(parameter))
        if options.answers:
            # What fits a question is what may answer it, and of ten candidates one or two do.
            self.answers = torch.nn.Parameter(self.row.detach() * 0.5)
            self.answers_bias = torch.nn.Parameter(torch.tensor(-1.0))
            if options.begin and f"head.{ANSWERS[0]}" in head:
                for name, parameter in zip(ANSWERS, (self.answers, self.answers_bias), strict=True):
                    parameter.data.copy_(head[f"head.{name}"].view_as(parameter))

    def pooled(self, merged, pairs):
        order, parts = pairs
        first = torch.cat([self.first(merged, *part) for part in parts])
        pooled = torch.tanh(F.linear(first, self.dense, self.bias))
        return F.dropout(pooled, self._rate(), self.training).float()[order.argsort()]

    def logits(self, pooled):
        return (pooled * self.row).sum(-1)

    def answer_logits(self, pooled):
        return (pooled * self.answers).sum(-1) + self.answers_bias

    def save(self, path, about):
        names, head = HEAD, [self.dense, self.bias[None, :], self.row[None, :]]
        if hasattr(self, "answers"):
            names, head = names + ANSWERS, head + [self.answers[None, :], self.answers_bias.view(1, 1)]
        tensors = self.updates() | {f"head.{name}": tensor.detach() for name, tensor in zip(names, head, strict=True)}
        write(path, tensors, about)


class Lists:
    """Questions with their candidates as tokens, all of them on one device.

    `ids` is `[lists, candidates, tokens]`; `first_stage`, `gold` and `there` are `[lists, candidates]`, where the longest list
    says how many candidates there are.
    """

    def __init__(self, lists, tokenizer, max_tokens, device):
        self.lists = lists
        self.candidates = max(len(of["passages"]) for of in lists)
        shape = len(lists), self.candidates
        self.there, self.gold = torch.zeros(shape, dtype=torch.bool), torch.zeros(shape)
        self.first_stage, self.lengths = torch.zeros(shape), torch.ones(shape, dtype=torch.long)
        self.ids = torch.zeros(*shape, max_tokens, dtype=torch.int16)
        self.queries = torch.zeros(shape, dtype=torch.long)
        for row, of in enumerate(lists):
            count = len(of["passages"])
            self.there[row, :count] = True
            self.gold[row, :count] = torch.tensor(of["gold"], dtype=torch.float)
            self.first_stage[row, :count] = torch.tensor(of["first_stage"])
        # Many pairs at once, because the tokenizer divides them among the processor's cores.
        for first in range(0, len(lists), 1000):
            part = lists[first : first + 1000]
            at = [(row, place) for row, of in enumerate(part, first) for place in range(len(of["passages"]))]
            pairs = [(of["query"], passage) for of in part for passage in of["passages"]]
            for (row, place), (ids, segments) in zip(at, encoded(tokenizer, pairs, max_tokens), strict=True):
                self.ids[row, place, : len(ids)] = torch.tensor(ids, dtype=torch.int16)
                self.lengths[row, place] = len(ids)
                self.queries[row, place] = len(ids) - sum(segments)
        golds = self.gold.sum(1)
        self.teaches = (golds > 0) & (golds < self.there.sum(1))
        for name in ("there", "gold", "first_stage", "lengths", "ids", "queries", "teaches"):
            setattr(self, name, getattr(self, name).to(device))

    def pairs(self, rows):
        """The candidates of some lists, shortest first: their order, and ids, segments and mask of parts of alike length.

        If all were as long as the longest, more of what is computed would be padding.
        """
        lengths, queries = self.lengths[rows].flatten(), self.queries[rows].flatten()
        ids = self.ids[rows].flatten(0, 1)
        order = lengths.argsort()

        def part(of):
            most = int(lengths[of].max())
            places = torch.arange(most, device=ids.device)
            return ids[of, :most].long(), (places >= queries[of, None]).long(), places < lengths[of, None]

        return order, [part(of) for of in order.tensor_split(min(PARTS, len(order)))]

    def scores(self, rows, logits, weight):
        """Logits and weighted first-stage scores, `[lists, candidates]`."""
        scores = logits.view(-1, self.candidates) + weight * self.first_stage[rows]
        return scores.masked_fill(~self.there[rows], float("-inf"))

    def ranks(self, rows, logits, weight):
        """The reciprocal rank of each list's first gold candidate; 0 without one. Equal ones keep the order of the list."""
        scores = self.scores(rows, logits, weight)
        order = scores.argsort(dim=1, descending=True, stable=True)
        gold = self.gold[rows].gather(1, order)
        places = torch.arange(1, self.candidates + 1, device=gold.device)
        return (gold / places).amax(1)


def learn(options, lists, rows, seed, watch=None, teachers=None):
    """Learns from some lists; `watch(model, epoch, loss)` is called after each epoch.

    `teachers` are their mean logits, `[lists, candidates]`. With them, lists without gold teach too.
    """
    device = lists.ids.device
    torch.manual_seed(seed)
    model = Reranker(options, seed).to(device)
    if teachers is None:
        rows = rows[lists.teaches[rows].to(rows.device)]
    steps_of_epoch = -(-len(rows) // options.batch)
    steps = int(options.epochs * steps_of_epoch)
    adam = torch.optim.AdamW(model.parameters(), lr=options.rate, betas=(0.9, 0.999), weight_decay=0.01)
    draws = torch.Generator().manual_seed(seed)
    order = rows[torch.randperm(len(rows), generator=draws)]
    model.train()
    losses = 0.0
    for step in range(steps):
        of_epoch = step % steps_of_epoch
        if step and of_epoch == 0:
            if watch:
                watch(model, step // steps_of_epoch, losses / steps_of_epoch)
                model.train()
            losses = 0.0
            order = rows[torch.randperm(len(rows), generator=draws)]
        chosen = order[of_epoch * options.batch :][: options.batch].to(device)
        with autocast(device):
            pooled = model.pooled(model.merged(), lists.pairs(chosen))
        logits = model.logits(pooled)
        gold = lists.gold[chosen] * lists.teaches[chosen][:, None]
        gold = gold / gold.sum(1, keepdim=True).clamp(min=1)
        loss = cross_entropy(gold, lists.scores(chosen, logits.float(), options.weight))
        if teachers is not None:
            # The first stage is left out here: what a student lacks of its teachers is in their logits.
            shares = F.softmax(lists.scores(chosen, teachers[chosen], 0.0), 1)
            of_teachers = cross_entropy(shares, lists.scores(chosen, logits.float(), 0.0))
            loss = (1 - options.teacher_share) * loss + options.teacher_share * of_teachers
        if options.answers:
            there = lists.there[chosen]
            answers = model.answer_logits(pooled).view(-1, lists.candidates)[there]
            loss = loss + options.answers * F.binary_cross_entropy_with_logits(answers, lists.gold[chosen][there])
        adam.param_groups[0]["lr"] = rate_at(step, steps, options.rate)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        losses += loss.detach()
        if sys.stderr.isatty():
            print(f"\rstep {step + 1} of {steps}, loss {float(losses) / (of_epoch + 1):.4f} ", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    if watch:
        watch(model, options.epochs, losses / steps_of_epoch)
    return model


def cross_entropy(shares, scores):
    """The mean over lists; candidates that are not there have the score minus infinity."""
    log_shares = F.log_softmax(scores, 1).masked_fill(scores.isinf(), 0.0)
    return -(shares * log_shares).sum(1).mean()


def teachers_logits(options, lists):
    """The mean logits of the rerankers that are teachers, `[lists, candidates]`; `None` where there are none."""
    all_rows = torch.arange(len(lists.lists))
    logits = [torch.load(path).to(lists.ids.device) for path in options.teacher_logits]
    for path, of in zip(options.teacher_logits, logits, strict=True):
        if of.shape != lists.there.shape:
            raise SystemExit(f"{path}: found logits {list(of.shape)}, expected {list(lists.there.shape)}; write them from the same questions with the same --candidates and --twice")
    for path in options.teacher:
        updates, _, _ = read_updates(path)
        of = {"begin": path, "rank": len(next(iter(updates.values()))[0]), "answers": 0.0}
        model = Reranker(argparse.Namespace(**{**vars(options), **of}), options.seed)
        logits.append(logits_of(model.to(lists.ids.device), lists, all_rows))
    return torch.stack(logits).mean(0) if logits else None


@torch.inference_mode()
def logits_of(model, lists, rows):
    """Logits of some lists, `[lists, candidates]`."""
    model.eval()
    device = lists.ids.device
    found = []
    with autocast(device):
        merged = model.merged()
        for part in rows.split(64):
            logits = model.logits(model.pooled(merged, lists.pairs(part.to(device))))
            found.append(logits.view(-1, lists.candidates))
    return torch.cat(found) if found else torch.zeros(0, lists.candidates, device=device)


def autocast(device):
    """Products in bfloat16 on a GPU, and on a processor that has tiles for them (AMX)."""
    tiles = getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda" or tiles())


def record(options, lists, rows, weight, seed):
    """What the file says of its reranker."""
    has_teachers = options.teacher or options.teacher_logits
    taught = [lists.lists[int(row)] for row in rows if has_teachers or lists.teaches[row]]
    # A list that is seen twice stands in two rows.
    taught = list({id(of): of for of in taught}.values())
    kinds = Counter(of["kind"] for of in taught)
    return {
        "format": "evidence-2" if options.answers else "evidence-1",
        "base": Path(options.base).name,
        "form": options.form,
        "max_tokens": options.max_tokens,
        "first_stage_weight": weight,
        "first_stage": options.first_stage,
        "trained_on": [f"{count} {kind}" for kind, count in kinds.items()],
        "questions": len(taught),
        "seed": seed,
        "reads_english": True,
    }


def one(options, lists):
    """One reranker of all lists that are not held out, with a look at those that are after each epoch."""
    held_out = torch.tensor([of["held_out"] for of in lists.lists])
    all_rows = torch.arange(len(held_out))
    rows, looked = all_rows[~held_out], all_rows[held_out]
    groups = {}
    for row in looked.tolist():
        groups.setdefault(lists.lists[row]["set"], []).append(row)

    def watch(model, epoch, loss):
        looks = {}
        for name, of in groups.items():
            of = torch.tensor(of)
            logits = logits_of(model, lists, of)
            of = of.to(logits.device)
            before = lists.ranks(of, logits * 0, 1.0).mean().item()
            by_weight = {str(w): round(lists.ranks(of, logits, w).mean().item(), 4) for w in WEIGHTS}
            looks[name] = {"questions": len(of), "before": round(before, 4), **by_weight}
        say(epoch=epoch, loss=round(float(loss), 4), looks=looks)

    model = learn(options, lists, rows, options.seed, watch, teachers_logits(options, lists))
    weight = options.weight if options.score_weight is None else options.score_weight
    model.save(options.out, record(options, lists, rows, weight, options.seed))
    if options.save_logits:
        torch.save(logits_of(model, lists, all_rows).float().cpu(), options.save_logits)


def choose(options, lists):
    """The step width, epochs and first stage's weight that are best for histories left out, then a reranker of all."""
    histories = sorted({of["history"] for of in lists.lists})
    of_history = torch.tensor([histories.index(of["history"]) for of in lists.lists])
    all_rows = torch.arange(len(of_history))
    on_device = all_rows.to(lists.ids.device)
    best = None
    before = lists.ranks(on_device, torch.zeros_like(lists.first_stage), 1.0).mean().item()
    for rate, epochs in itertools.product(options.rates, options.epoch_choices):
        of = argparse.Namespace(**{**vars(options), "rate": rate, "epochs": epochs})
        logits = torch.zeros_like(lists.first_stage)
        for history in range(len(histories)):
            model = learn(of, lists, all_rows[of_history != history], options.seed)
            left_out = all_rows[of_history == history]
            logits[left_out.to(logits.device)] = logits_of(model, lists, left_out)
        found = {weight: lists.ranks(on_device, logits, weight).mean().item() for weight in WEIGHTS}
        say(rate=rate, epochs=epochs, before=round(before, 4), left_out={w: round(r, 4) for w, r in found.items()})
        weight = max(found, key=found.get)
        if best is None or found[weight] > best[0]:
            best = found[weight], of, weight
    rank, of, weight = best
    say(kept={"rate": of.rate, "epochs": of.epochs, "weight": weight}, left_out=round(rank, 4), before=round(before, 4))
    model = learn(of, lists, all_rows, options.seed)
    model.save(options.out, record(of, lists, all_rows, weight, options.seed))


def say(**facts):
    print(json.dumps(facts), flush=True)


def read(options):
    """The lists of files; those of a history that is named are held out, or left out."""
    lists = []
    for path in options.lists:
        for line in Path(path).read_text().splitlines():
            of = json.loads(line)
            of["set"] = Path(path).stem if of["held_out"] else of["kind"]
            of["held_out"] = of["held_out"] or of["history"] in options.hold_out
            if of["history"] in options.without or not of["passages"]:
                continue
            if options.candidates and not of["held_out"]:
                of = cut(of, options.candidates)
            seen = 2 if of["kind"] in options.twice and not of["held_out"] else 1
            lists += [of] * seen
    return lists


def cut(of, most):
    """The list with its ten best candidates and gold from below them, `most` in all."""
    kept = [place for place, gold in enumerate(of["gold"]) if place < 10 or gold][:most]
    return of | {name: [of[name][place] for place in kept] for name in ("passages", "first_stage", "gold")}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("learn", "choose"))
    parser.add_argument("--base", required=True, help="the folder of the published model, called NAME@REVISION")
    parser.add_argument("--lists", nargs="+", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--begin", help="the file of a reranker to begin with, of the same rank")
    parser.add_argument("--teacher", nargs="+", default=[], help="with `learn`: files of rerankers whose logits are learned")
    parser.add_argument("--teacher-share", type=float, default=0.5, help="their share of the loss")
    parser.add_argument("--teacher-logits", nargs="+", default=[], metavar="FILE", help="with `learn`: logits of teachers that read the same lists in another form")
    parser.add_argument("--save-logits", metavar="FILE", help="with `learn`: write the logits of all lists, for --teacher-logits")
    parser.add_argument("--answers", type=float, default=0.0, help="weight in the loss of whether a candidate answers [default: not learned]")
    parser.add_argument("--hold-out", type=lambda names: names.split(","), default=[])
    parser.add_argument("--without", type=lambda names: names.split(","), default=[])
    parser.add_argument("--candidates", type=int, help="with lists of more than ten: the ten best and gold from below them, so many at most [default: all]")
    parser.add_argument("--twice", nargs="+", default=[], metavar="KIND", help="kinds of questions that are seen twice in an epoch")
    parser.add_argument("--form", default="dialogue", help="the form in which the lists are written")
    parser.add_argument("--first-stage", default="hybrid", help="what the file says of the first stage")
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--batch", type=int, default=16, help="questions of a step")
    parser.add_argument("--epochs", type=float, default=2)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--weight", type=float, default=1.0, help="the first stage's weight in the loss")
    parser.add_argument("--score-weight", type=float, help="the same in the score [default: as in the loss]")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--most", type=int, help="questions, at most, evenly taken; for trying it out")
    numbers = lambda of: lambda text: [of(number) for number in text.split(",")]  # noqa: E731
    parser.add_argument("--rates", type=numbers(float), default=[2e-4, 5e-4], help="compared by `choose`")
    parser.add_argument("--epoch-choices", type=numbers(float), default=[2, 4], help="compared by `choose`")
    options = parser.parse_args()
    if (options.teacher or options.teacher_logits) and options.task == "choose":
        parser.error("--teacher and --teacher-logits: `choose` learns from gold alone; leave them out, or use `learn`")
    return options


def main():
    options = arguments()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    began = time.monotonic()
    lists = read(options)
    if options.most:
        lists = lists[:: -(-len(lists) // options.most)]
    tokenizer = Network(options.base, 1, 0).tokenizer
    lists = Lists(lists, tokenizer, options.max_tokens, device)
    taught = int(lists.teaches.sum())
    say(lists=len(lists.lists), teach=taught, seconds=round(time.monotonic() - began, 1), device=str(device))
    {"learn": one, "choose": choose}[options.task](options, lists)
    say(seconds=round(time.monotonic() - began, 1), **{k: v for k, v in vars(options).items() if k != "lists"})


if __name__ == "__main__":
    main()
