"""Runs a script with psycopg 3, and prints what it sees. Where the server is, is in the environment as psql has it."""

import json
import threading

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

TYPES = """select 1::int2 as a, 2::int4 as b, 3::int8 as c, 1.5::float4 as d, 2.5::float8 as e, 12345.678::numeric as f,
    'ä€😀'::text as g, '\\x00ff'::bytea as h, true as i, date '2026-01-02' as j, timestamp '2026-01-02 03:04:05.678' as k,
    timestamptz '2026-01-02 03:04:05+00' as l, interval '1 day 2 hours' as m, '{"a": [1]}'::jsonb as n,
    array[1, null, 3] as o, null::text as p, 'c0ffee00-0000-4000-8000-000000000001'::uuid as q, '10.0.0.0/8'::cidr as r"""
FIELDS = "severity sqlstate message_primary message_detail message_hint statement_position context table_name".split()


def seen(what, *values):
    print(f"{what}: {json.dumps(values, default=repr, ensure_ascii=False)}")


def told(diagnostic):
    return {name: getattr(diagnostic, name) for name in FIELDS}


def ask(connection, query, values=None, **options):
    """Runs a query, and prints its results."""
    try:
        cursor = connection.execute(query, values, **options)
        while True:
            columns = cursor.description and [(c.name, c.type_code, c.internal_size, c.precision) for c in cursor.description]
            seen("result", cursor.statusmessage, columns, cursor.fetchall() if columns else None)
            if not cursor.nextset():
                break
    except psycopg.Error as error:
        seen("failed", type(error).__name__, str(error), told(error.diag))


def copies(connection):
    ask(connection, "create temp table t (i int primary key, s text not null)")
    with connection.cursor() as cursor:
        with cursor.copy("copy t from stdin") as copy:
            for count in range(3000):
                copy.write_row((count, f"row {count}"))
        seen("copied in", cursor.statusmessage)
        with cursor.copy("copy (select * from t order by i) to stdout (format binary)") as copy:
            seen("copied out", len(b"".join(copy)))
        for text in ("wrong\n", "1\tagain\n"):
            try:
                with cursor.copy("copy t from stdin") as copy:
                    copy.write(text)
            except psycopg.Error as error:
                seen("failed", told(error.diag))
        try:
            with cursor.copy("copy t from stdin") as copy:
                raise ValueError("the client changed its mind")
        except (psycopg.Error, ValueError) as error:
            seen("failed", type(error).__name__)


def pipelines(connection):
    with connection.pipeline() as pipeline:
        first, second = connection.execute("select 1"), connection.execute("select %s + 1", [1])
        pipeline.sync()
        seen("piped", first.fetchall(), second.fetchall())
    try:
        with connection.pipeline():
            for divisor in (1, 0, 2):
                connection.execute("select 1 / %s::int", [divisor])
    except psycopg.Error as error:
        seen("failed", told(error.diag))
    with connection.cursor() as cursor:
        cursor.executemany("insert into t values (%s, %s) returning i", [(count, "x") for count in range(5000, 5010)], returning=True)
        more = True
        while more:
            seen("returned", cursor.fetchall())
            more = cursor.nextset()


def cursors(connection):
    with connection.transaction(), connection.cursor("named", scrollable=True) as cursor:
        cursor.execute("select * from t order by i")
        seen("fetched", cursor.fetchmany(2), cursor.fetchone())
        cursor.scroll(-1)
        seen("fetched", cursor.fetchone())
    try:
        with connection.transaction():
            with connection.transaction():
                ask(connection, "insert into t values (1, 'twice')")
    except psycopg.Error as error:
        seen("failed", type(error).__name__)
    with psycopg.ClientCursor(connection) as cursor:
        cursor.execute("select %s, %s; select 2", ["it's", 1])
        seen("client", cursor.fetchall(), cursor.nextset(), cursor.fetchall())


def main():
    with psycopg.connect(autocommit=True, prepare_threshold=2) as connection:
        connection.add_notice_handler(lambda diagnostic: seen("notice", told(diagnostic)))
        for name in "server_version client_encoding DateStyle TimeZone is_superuser".split():
            seen("parameter", name, connection.info.parameter_status(name))
        for binary in (False, True):
            ask(connection, TYPES, binary=binary)
            for count in range(4):
                ask(connection, "select %s::int + 1 as a, %s as b", [count, "x"], binary=binary)
        ask(connection, "select 1 as a; select 2 as b; update pg_class set relname = '' where false")
        ask(connection, "select no_such_column from pg_class")
        ask(connection, "select 1; select no_such_column")
        ask(connection, "select %s::int", ["no number"])
        copies(connection)
        pipelines(connection)
        cursors(connection)
        ask(connection, "select length(%s)", ["ä" * (9 << 20)])
        seen("large", len(connection.execute("select repeat('y', 17 * 1024 * 1024)").fetchone()[0]))
        connection.row_factory = dict_row
        with connection.cursor() as cursor:
            rows = list(cursor.stream("select i, repeat('z', i %% 100) from generate_series(1, %s) i", [2000]))
            seen("streamed", len(rows), rows[99])
        ask(connection, "listen here")
        connection.execute(sql.SQL("notify {}, 'hello'").format(sql.Identifier("here")))
        seen("notification", *[(one.channel, one.payload) for one in connection.notifies(stop_after=1)])
        ask(connection, "unlisten *")
        canceling = []
        connection.add_notice_handler(lambda _: canceling.append(threading.Thread(target=connection.cancel_safe)) if not canceling else None)
        connection.add_notice_handler(lambda _: canceling[0].start())
        ask(connection, "do $$ begin raise notice 'running'; perform pg_sleep(60); end $$")
        canceling[0].join()
        ask(connection, "select 'still here'")


main()
