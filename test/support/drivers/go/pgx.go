package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const types = `select 1::int2 as a, 2::int4 as b, 3::int8 as c, 1.5::float4 as d, 2.5::float8 as e, 12345.678::numeric as f,
	'ä€😀'::text as g, '\x00ff'::bytea as h, true as i, date '2026-01-02' as j, timestamp '2026-01-02 03:04:05.678' as k,
	timestamptz '2026-01-02 03:04:05+00' as l, interval '1 day 2 hours' as m, '{"a": [1]}'::jsonb as n, array[1, null, 3] as o,
	null::text as p, 'c0ffee00-0000-4000-8000-000000000001'::uuid as q, '10.0.0.0/8'::cidr as r, row(1, 'x')::text as s`

func runPgx(ctx context.Context) {
	config, err := pgx.ParseConfig("sslmode=disable")
	must(err)
	running := make(chan struct{}, 1)
	config.OnNotice = func(_ *pgconn.PgConn, notice *pgconn.Notice) {
		if notice.Message == "running" {
			running <- struct{}{}
		}
		seen("notice", (*pgconn.PgError)(notice))
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	must(err)
	for _, name := range strings.Fields("server_version client_encoding server_encoding DateStyle TimeZone is_superuser session_authorization in_hot_standby") {
		seen("parameter", name, conn.PgConn().ParameterStatus(name))
	}
	modes := []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec,
		pgx.QueryExecModeSimpleProtocol,
	}
	for _, mode := range modes {
		rows(ctx, conn, types, mode)
		rows(ctx, conn, "select $1::int4 + 1 as a, $2::text as b", mode, 41, "x")
		rows(ctx, conn, "select no_such_column from pg_class", mode)
		rows(ctx, conn, "select 1 / $1::int4", mode, 0)
	}
	prepared(ctx, conn)
	copies(ctx, conn)
	transactions(ctx, conn)
	pipelines(ctx, conn)
	rows(ctx, conn, "select count(*), sum(length(s)) from (select repeat('x', i) as s from generate_series(1, 2000) i) q")
	rows(ctx, conn, "select length($1::text)", strings.Repeat("ä", 9<<20))
	large := ""
	must(conn.QueryRow(ctx, "select repeat('y', 17 * 1024 * 1024)").Scan(&large))
	seen("large", len(large), large[:3])
	rows(ctx, conn, "select i, repeat('z', i % 100) from generate_series(1, 2000) i")
	exec(ctx, conn, "listen here")
	exec(ctx, conn, "notify here, 'hello'")
	notification, err := conn.WaitForNotification(ctx)
	must(err)
	seen("notification", notification.Channel, notification.Payload)
	canceled := make(chan error)
	go func() {
		<-running
		canceled <- conn.PgConn().CancelRequest(ctx)
	}()
	exec(ctx, conn, "do $$ begin raise notice 'running'; perform pg_sleep(60); end $$")
	must(<-canceled)
	rows(ctx, conn, "select 'still here'")
	must(conn.Close(ctx))
}

func prepared(ctx context.Context, conn *pgx.Conn) {
	description, err := conn.Prepare(ctx, "named", "select i, $2::text from generate_series(1, $1::int4) i")
	must(err)
	seen("prepared", description.ParamOIDs, description.Fields)
	for count := range 3 {
		rows(ctx, conn, "named", count, "x")
	}
	failed(conn.Prepare(ctx, "named too", "selec 1"))
	must(conn.Deallocate(ctx, "named"))
	failed(conn.Exec(ctx, "execute named(1, 'x')"))
	exec(ctx, conn, "select 1; select 2; update pg_class set relname = relname where false", pgx.QueryExecModeSimpleProtocol)
}

func copies(ctx context.Context, conn *pgx.Conn) {
	exec(ctx, conn, "create temp table t (i int primary key, s text not null)")
	source := pgx.CopyFromSlice(3000, func(i int) ([]any, error) { return []any{i, fmt.Sprint("row ", i)}, nil })
	count, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"i", "s"}, source)
	must(err)
	seen("copied in", count)
	var out bytes.Buffer
	tag, err := conn.PgConn().CopyTo(ctx, &out, "copy (select * from t order by i) to stdout")
	must(err)
	seen("copied out", tag.String(), out.Len(), out.String()[:30])
	failed(conn.PgConn().CopyFrom(ctx, strings.NewReader("wrong\n"), "copy t from stdin"))
	failed(conn.PgConn().CopyFrom(ctx, strings.NewReader("1\tagain\n"), "copy t from stdin"))
	failed(conn.PgConn().CopyTo(ctx, &out, "copy (select 1 / 0) to stdout"))
}

func transactions(ctx context.Context, conn *pgx.Conn) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.Serializable, AccessMode: pgx.ReadOnly})
	must(err)
	rows(ctx, tx, "show transaction_isolation")
	failed(tx.Exec(ctx, "create table not_here ()"))
	failed(tx.Exec(ctx, "select 1"))
	must(tx.Rollback(ctx))
	tx, err = conn.Begin(ctx)
	must(err)
	inner, err := tx.Begin(ctx)
	must(err)
	failed(inner.Exec(ctx, "insert into t values (1, 'twice')"))
	must(inner.Rollback(ctx))
	exec(ctx, tx, "declare c cursor for select * from t order by i")
	rows(ctx, tx, "fetch 2 from c")
	rows(ctx, tx, "fetch backward 1 from c")
	exec(ctx, tx, "do $$ begin raise notice 'a notice'; raise warning using message = 'a warning', hint = 'a hint'; end $$")
	must(tx.Commit(ctx))
}

func pipelines(ctx context.Context, conn *pgx.Conn) {
	batch := &pgx.Batch{}
	batch.Queue("select 1")
	batch.Queue("select $1::int4", 2)
	batch.Queue("select 1 / $1::int4", 0)
	batch.Queue("select 4")
	results := conn.SendBatch(ctx, batch)
	for range batch.Len() {
		all, err := results.Query()
		report(all, err)
	}
	seen("batch", fmt.Sprint(results.Close()))
	pipeline := conn.PgConn().StartPipeline(ctx)
	pipeline.SendPrepare("piped", "select $1::int4", nil)
	pipeline.SendQueryPrepared("piped", [][]byte{[]byte("5")}, nil, nil)
	pipeline.SendQueryPrepared("piped", [][]byte{[]byte("six")}, nil, nil)
	pipeline.SendQueryPrepared("piped", [][]byte{[]byte("7")}, nil, nil)
	must(pipeline.Sync())
	pipeline.SendQueryPrepared("piped", [][]byte{[]byte("8")}, nil, nil)
	pipeline.SendDeallocate("piped")
	must(pipeline.Sync())
	for {
		got, err := pipeline.GetResults()
		if got == nil && err == nil {
			break
		}
		if reader, isRows := got.(*pgconn.ResultReader); isRows {
			result := reader.Read()
			seen("piped rows", result.Rows, result.CommandTag.String(), fmt.Sprint(result.Err))
		} else {
			seen("piped", fmt.Sprintf("%T", got), details(err))
		}
	}
	must(pipeline.Close())
}

// What both connections and transactions have.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

func rows(ctx context.Context, db querier, sql string, args ...any) {
	all, err := db.Query(ctx, sql, args...)
	report(all, err)
}

func report(all pgx.Rows, err error) {
	if err != nil {
		seen("failed", details(err))
		return
	}
	values := [][]any{}
	for all.Next() {
		row, err := all.Values()
		must(err)
		values = append(values, row)
	}
	seen("rows", all.FieldDescriptions(), values, all.CommandTag().String(), details(all.Err()))
}

func exec(ctx context.Context, db querier, sql string, args ...any) {
	tag, err := db.Exec(ctx, sql, args...)
	seen("ran", tag.String(), details(err))
}

func failed(_ any, err error) {
	seen("failed", details(err))
}

// All that the server said of an error.
func details(err error) any {
	var told *pgconn.PgError
	if errors.As(err, &told) {
		return told
	}
	return fmt.Sprint(err)
}
