#!/usr/bin/env python3
"""Many tenants in PostgreSQL: aforesaid beside plain pgvector with one shared HNSW index at its default settings.

    bench/postgres.py postgres://postgres@127.0.0.1:5432/postgres [--turns 1000000] [--tenants 1000] [--questions 20] [--operations 0]

Needs `pip install 'psycopg[binary]' pgvector numpy`, pgvector in the database, and cargo. It loads the same synthetic vectors into a
schema of its own for each side, asks three tenants of fixed sizes, and prints Markdown. The schemas are dropped afterwards.
The peer gets the vectors alone: no text, no BM25. Its times are of its query for ten ids, without encoding. Times of
aforesaid are whole searches of the pipeline `hybrid` in the process, texts of hits included; recall is that of its dense
leg. "first" is the first search of a tenant in a process that has never read it, "cold" the first of a new process from
the stored snapshot, "p50" and "p95" those that follow.
"""
import argparse, json, os, statistics, subprocess, time
import numpy, psycopg
from pgvector.psycopg import register_vector

DIM = 384


def tenants_bench(url, args):
    command = ["cargo", "run", "--quiet", *args.profile, "-p", "aforesaid", "--example", "tenants_bench", "--"]
    sizes = [str(args.turns), str(args.tenants), str(args.questions), str(args.operations)]
    return json.loads(subprocess.run([*command, url, *sizes], check=True, stdout=subprocess.PIPE).stdout)


def size_of(db, schema):
    sql = """SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
             WHERE s.nspname = %s AND c.relkind = 'r'"""
    return db.execute(sql, [schema]).fetchone()[0]


def load_peer(db, url, ours, theirs):
    """Copies the vectors of every tenant to a table with a shared HNSW index; returns seconds."""
    db.execute("CREATE EXTENSION IF NOT EXISTS vector")
    db.execute(f"DROP SCHEMA IF EXISTS {theirs} CASCADE")
    db.execute(f"CREATE SCHEMA {theirs}")
    db.execute(f"CREATE TABLE {theirs}.item (tenant uuid, seq bigint, embedding vector({DIM}), PRIMARY KEY (tenant, seq))")
    register_vector(db)
    started = time.perf_counter()
    # Rows are read on a connection of their own: one that copies can be asked for nothing else.
    with psycopg.connect(url) as source, source.cursor(name="rows") as rows, db.cursor() as write:
        rows.itersize = 2000
        rows.execute(f"SELECT tenant, seq, data FROM {ours}.vector", binary=True)
        with write.copy(f"COPY {theirs}.item FROM STDIN WITH (FORMAT BINARY)") as copy:
            copy.set_types(["uuid", "int8", "vector"])
            for tenant, seq, data in rows:
                copy.write_row((tenant, seq, numpy.frombuffer(data, "<f4")[:DIM]))
    copied = time.perf_counter() - started
    started = time.perf_counter()
    db.execute(f"CREATE INDEX ON {theirs}.item USING hnsw (embedding vector_cosine_ops)")
    built = time.perf_counter() - started
    db.execute(f"ANALYZE {theirs}.item")
    db.commit()
    return copied, built


def exact(db, ours, tenant):
    """Positions, ids and vectors of a tenant."""
    sql = f"""SELECT m.id, v.seq, v.data FROM {ours}.vector v JOIN {ours}.memory m ON m.tenant = v.tenant AND m.seq = v.seq
              WHERE v.tenant = %s ORDER BY v.seq"""
    rows = db.execute(sql, [tenant], binary=True).fetchall()
    return [r[0] for r in rows], [r[1] for r in rows], numpy.stack([numpy.frombuffer(r[2], "<f4")[:DIM] for r in rows])


def ask_peer(db, theirs, tenant, found):
    times, all_hits = [], []
    sql = f"SELECT seq FROM {theirs}.item WHERE tenant = %s ORDER BY embedding <=> %s::vector LIMIT 10"
    for _ in range(3):
        all_hits = []
        for one in found:
            vector = "[" + ",".join(map(repr, one["vector"])) + "]"
            started = time.perf_counter()
            hits = [row[0] for row in db.execute(sql, [tenant, vector]).fetchall()]
            times.append((time.perf_counter() - started) * 1e3)
            all_hits.append(hits)
    return times, all_hits


def at(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(share * len(times)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--turns", type=int, default=1_000_000)
    parser.add_argument("--tenants", type=int, default=1_000)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--operations", type=int, default=0, help="searches and additions by turns, of tenants drawn by size")
    parser.add_argument("--debug", dest="profile", action="store_const", const=[], default=["--release"])
    parser.add_argument("--no-peer", action="store_true", help="load and ask aforesaid alone, for many tenants")
    args = parser.parse_args()
    ours, theirs = f"bench_ours_{os.getpid()}", f"bench_peer_{os.getpid()}"
    db = psycopg.connect(args.url)
    try:
        report = tenants_bench(f"{args.url}?schema={ours}", args)
        turns = report["turns"]
        print(f"{turns} turns of {report['tenants']} tenants, {os.cpu_count()} cores, {processor()}\n")
        print("| | load | bytes a turn | processor time a turn, client and server |\n|---|---|---|---|")
        cpu = " and ".join(f"{report[key] * 1e6 / turns:.0f} µs" for key in ("load_cpu_s", "load_server_cpu_s"))
        print(f"| aforesaid | {report['load_s']:.0f} s | {size_of(db, ours) / turns:.0f} | {cpu} |")
        if not args.no_peer:
            copied, built = load_peer(db, args.url, ours, theirs)
            bytes_a_turn = size_of(db, theirs) / turns
            print(f"| pgvector, vectors alone | {copied:.0f} s and {built:.0f} s for its index | {bytes_a_turn:.0f} | |")
        print("\n| tenant of | side | first | cold | p50 | p95 | recall@10 | ids returned of 10 |")
        print("|---|---|---|---|---|---|---|---|")
        for asked in report["asked"]:
            row(db, (ours, theirs), asked, "aforesaid", args.no_peer)
        for asked in report["in_database"]:
            row(db, (ours, theirs), asked, "aforesaid, in the database", True)
        if report["day"]:
            operations(report["day"])
    finally:
        db.rollback()
        for schema in (ours, theirs):
            db.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
        db.commit()


def operations(day):
    """What a server does all day: times, and processor time an operation."""
    print(f"\n{day['operations']} operations in {day['seconds']:.0f} s, half searches and half additions of a turn; indexes "
          f"take {day['index_bytes'] / 1e6:.0f} MB in the end; processor time an operation {day['client_cpu_ms']:.2f} ms in the "
          f"client and {day['server_cpu_ms']:.2f} ms in the server\n")
    print("| | p50 | p95 | p99 |\n|---|---|---|---|")
    for name, times in (("search", day["search_ms"]), ("add", day["add_ms"])):
        print(f"| {name} | {at(times, .5):.2f} ms | {at(times, .95):.2f} ms | {at(times, .99):.2f} ms |")


def row(db, schemas, asked, side, no_peer):
    ours, theirs = schemas
    tenant = db.execute(f"SELECT tenant FROM {ours}.namespace WHERE name = %s", [asked["namespace"]]).fetchone()[0]
    ids, positions, vectors = exact(db, ours, tenant)
    best = [set(numpy.argsort(-(vectors @ numpy.array(one["vector"], "f4")), kind="stable")[:10]) for one in asked["found"]]
    count = min(10, len(ids))

    def recall(hits, names):
        place = {name: i for i, name in enumerate(names)}
        return statistics.mean(len({place[hit] for hit in found} & truth) / count for found, truth in zip(hits, best))

    found = [one["ids"] for one in asked["found"]]
    first, cold, warm = asked["first_ms"], statistics.median(asked["cold_ms"]), asked["warm_ms"]
    returned = statistics.mean(map(len, found))
    print(f"| {len(ids)} | {side} | {first:.1f} ms | {cold:.1f} ms | {at(warm, .5):.2f} ms | {at(warm, .95):.2f} ms "
          f"| {recall(found, ids):.3f} | {returned:.1f} |")
    if no_peer:
        return
    times, hits = ask_peer(db, theirs, tenant, asked["found"])
    warm = times[1:]
    print(f"| {len(ids)} | pgvector | | {times[0]:.1f} ms | {at(warm, .5):.2f} ms | {at(warm, .95):.2f} ms "
          f"| {recall(hits, positions):.3f} | {statistics.mean(map(len, hits)):.1f} |")


def processor():
    with open("/proc/cpuinfo") as info:
        return next((line.split(":")[1].strip() for line in info if line.startswith("model name")), "unknown processor")


if __name__ == "__main__":
    main()
