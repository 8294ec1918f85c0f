"""Runs a script with PyMySQL, and prints what it sees. Where the server is, is in the environment as psql has it."""

import json
import os
import threading
import time
import warnings

import pymysql
from pymysql.constants import CLIENT
from pymysql.cursors import DictCursor, SSCursor

TYPES = """select cast(1 as signed) as a, cast(2 as unsigned) as b, 1.5e0 as c, cast(2.5 as decimal(10, 2)) as d, 'ä€😀' as e,
    x'00ff' as f, true as g, date '2026-01-02' as h, timestamp '2026-01-02 03:04:05.678' as i, time '-12:34:56' as j,
    null as k, json_object('a', 1) as l, repeat('x', 300) as m, 18446744073709551615 as n"""


def seen(what, *values):
    print(f"{what}: {json.dumps(values, default=repr, ensure_ascii=False)}")


def connect(**options):
    env = os.environ
    login = {"host": env["PGHOST"], "port": int(env["PGPORT"]), "user": env["PGUSER"], "password": env["PGPASSWORD"]}
    return pymysql.connect(**login, database=env["PGDATABASE"], client_flag=CLIENT.MULTI_STATEMENTS, **options)


def ask(connection, query, values=None, kind=None):
    """Runs a query, and prints its results."""
    try:
        with connection.cursor(kind) as cursor:
            seen("asked", cursor.execute(query, values))
            more = True
            while more:
                seen("result", cursor.description, cursor.rowcount, cursor.lastrowid, list(cursor.fetchall()))
                more = cursor.nextset()
            seen("warnings", connection.show_warnings() if cursor.warning_count else None)
    except pymysql.Error as error:
        seen("failed", type(error).__name__, error.args)


def cancel(connection):
    other = connect(autocommit=True)

    def kill():
        with other.cursor() as cursor:
            # Another client's may not have ended.
            sleeping = "select 1 from information_schema.processlist where state = 'User sleep' and info like '%of PyMySQL%'"
            while not cursor.execute(sleeping):
                time.sleep(0.01)
            cursor.execute(f"kill query {connection.thread_id()}")

    killing = threading.Thread(target=kill)
    killing.start()
    ask(connection, "select sleep(60), 'of PyMySQL' from seq_1_to_9")
    killing.join()
    ask(connection, "select 'still here'")
    other.kill(connection.thread_id())
    try:
        connection.ping(reconnect=False)
    except pymysql.Error as error:
        seen("killed", type(error).__name__)
    other.close()


def main():
    warnings.simplefilter("ignore")
    connection = connect(charset="utf8mb4")
    seen("greeted", connection.get_server_info(), connection.get_host_info().split(":")[0], connection.get_proto_info())
    ask(connection, TYPES)
    ask(connection, TYPES, kind=DictCursor)
    ask(connection, "select %s + 1 as a, %s as b, %s as c", [41, "ä'\\", None])
    ask(connection, "select @@sql_mode, @@character_set_client, @@collation_connection, @@autocommit")
    for query in ("select no_such_column", "selec 1", "select 1; select 2 as b; select no_such_column; select 4"):
        ask(connection, query)
    ask(connection, "create or replace table py_driver (i int primary key auto_increment, s longtext, unique (s(9)))")
    ask(connection, "insert into py_driver (s) values ('one'), ('two')")
    ask(connection, "insert into py_driver (s) values ('one')")
    ask(connection, "insert ignore into py_driver (s) values ('one')")
    with connection.cursor() as cursor:
        seen("many", cursor.executemany("insert into py_driver (s) values (%s)", [(f"row {count}",) for count in range(500)]))
    ask(connection, "insert into py_driver (s) values (%s)", ["y" * (17 << 20)])
    ask(connection, "select i, length(s) from py_driver order by i limit 5")
    connection.rollback()
    ask(connection, "select count(*) from py_driver")
    with connection.cursor() as cursor:
        cursor.execute("select repeat('z', 17000000)")
        seen("large", len(cursor.fetchone()[0]))
    ask(connection, "select seq, repeat(seq, 9) from seq_1_to_500", kind=SSCursor)
    ask(connection, "create or replace procedure py_driver(a int) begin select a; select 2 as b; end")
    with connection.cursor() as cursor:
        cursor.callproc("py_driver", (7,))
        seen("called", cursor.fetchall(), cursor.nextset(), cursor.fetchall())
    ask(connection, "drop table py_driver")
    ask(connection, "drop procedure py_driver")
    ask(connection, "show columns from mysql.db like 'Host'")
    connection.select_db("mysql")
    ask(connection, "select database()")
    connection.ping(reconnect=False)
    cancel(connection)


main()
