"""Runs a script with asyncpg, and prints what it sees. Where the server is, is in the environment as psql has it."""

import asyncio
import io
import json

import asyncpg

TYPES = """select 1::int2 as a, 2::int4 as b, 3::int8 as c, 1.5::float4 as d, 2.5::float8 as e, 12345.678::numeric as f,
    'ä€😀'::text as g, '\\x00ff'::bytea as h, true as i, date '2026-01-02' as j, timestamp '2026-01-02 03:04:05.678' as k,
    timestamptz '2026-01-02 03:04:05+00' as l, interval '1 day 2 hours' as m, '{"a": [1]}'::jsonb as n,
    array[1, null, 3] as o, null::text as p, 'c0ffee00-0000-4000-8000-000000000001'::uuid as q, '10.0.0.0/8'::cidr as r,
    int4range(1, 5) as s, row(1, 'x') as t"""


def seen(what, *values):
    print(f"{what}: {json.dumps(values, default=repr, ensure_ascii=False)}")


async def ask(asked):
    """Prints the result of a call of the driver."""
    try:
        seen("result", await asked)
    except asyncpg.PostgresError as error:
        seen("failed", type(error).__name__, error.as_dict())
    except (asyncpg.InterfaceError, asyncio.TimeoutError) as error:
        seen("failed", type(error).__name__, str(error))


async def copies(connection):
    await ask(connection.execute("create temp table t (i int primary key, s text not null)"))
    records = [(count, f"row {count}") for count in range(3000)]
    await ask(connection.copy_records_to_table("t", records=records))
    out = io.BytesIO()
    await ask(connection.copy_from_query("select * from t where i < $1 order by i", 1000, output=out, format="csv"))
    seen("copied out", len(out.getvalue()))
    await ask(connection.copy_to_table("t", source=io.BytesIO(b"wrong\n")))
    await ask(connection.copy_records_to_table("t", records=[(1, "again")]))
    await ask(connection.copy_records_to_table("t", records=[(9999, None)]))


async def transactions(connection):
    async with connection.transaction(isolation="repeatable_read"):
        await ask(connection.fetchval("show transaction_isolation"))
        cursor = await connection.cursor("select * from t where i > $1 order by i", 5)
        seen("fetched", await cursor.fetch(2), await cursor.forward(3), await cursor.fetchrow())
        seen("counted", [row["i"] async for row in connection.cursor("select i from t where i < 120", prefetch=50)][-1])
        try:
            async with connection.transaction():
                await connection.execute("insert into t values (1, 'twice')")
        except asyncpg.UniqueViolationError as error:
            seen("failed", error.as_dict())
        await ask(connection.fetchval("select count(*) from t"))
    await ask(connection.executemany("insert into t values ($1, $2)", [(count, "x") for count in range(5000, 5100)]))
    await ask(connection.executemany("insert into t values ($1, $2)", [(6000, "x"), (1, "again"), (6001, "x")]))
    await ask(connection.fetchval("select count(*) from t"))


async def main():
    connection = await asyncpg.connect(ssl=False)
    running = asyncio.Event()
    connection.add_log_listener(lambda _, message: (seen("notice", message.as_dict()), running.set()))
    seen("settings", connection.get_server_version(), str(connection.get_settings()))
    for query in (TYPES, "select no_such_column from pg_class", "select 1 / 0"):
        await ask(connection.fetch(query))
    await ask(connection.execute("select 1; select 2; create temp table u (); drop table u"))
    await ask(connection.execute("select 1; select no_such_column"))
    statement = await connection.prepare("select i, $2::text from generate_series(1, $1::int4) i")
    seen("prepared", statement.get_parameters(), statement.get_attributes())
    for count in range(3):
        await ask(statement.fetch(count, "x"))
    await ask(connection.fetch("select $1::int4", "no number"))
    await copies(connection)
    await transactions(connection)
    await ask(connection.fetchval("select length($1)", "ä" * (9 << 20)))
    seen("large", len(await connection.fetchval("select repeat('y', 17 * 1024 * 1024)")))
    rows = await connection.fetch("select i, repeat('z', i % 100) from generate_series(1, 2000) i")
    seen("many", len(rows), rows[99])
    notified = asyncio.get_running_loop().create_future()
    await connection.add_listener("here", lambda _, pid, channel, payload: notified.set_result((channel, payload)))
    await connection.execute("notify here, 'hello'")
    seen("notification", await notified)
    running.clear()
    task = asyncio.create_task(connection.execute("do $$ begin raise notice 'running'; perform pg_sleep(60); end $$"))
    await running.wait()
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        seen("canceled")
    await ask(connection.fetchval("select 'still here'"))
    await ask(connection.reset())
    await connection.close()


asyncio.run(main())
