package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

const mysqlTypes = `select cast(1 as signed) as a, cast(2 as unsigned) as b, 1.5e0 as c, cast(2.5 as decimal(10, 2)) as d, 'ä€😀' as e,
	x'00ff' as f, true as g, date '2026-01-02' as h, timestamp '2026-01-02 03:04:05.678' as i, time '-12:34:56' as j, null as k,
	json_object('a', 1) as l, repeat('x', 300) as m, 18446744073709551615 as n`

func runMysql(ctx context.Context) {
	config := mysql.NewConfig()
	config.Net, config.Addr = "tcp", os.Getenv("PGHOST")+":"+os.Getenv("PGPORT")
	config.User, config.Passwd, config.DBName = os.Getenv("PGUSER"), os.Getenv("PGPASSWORD"), os.Getenv("PGDATABASE")
	config.MultiStatements = true
	for _, isText := range []bool{false, true} {
		config.InterpolateParams, config.ClientFoundRows = isText, isText
		connector, err := mysql.NewConnector(config)
		must(err)
		db := sql.OpenDB(connector)
		conn, err := db.Conn(ctx)
		must(err)
		mysqlScript(ctx, conn)
		if isText {
			mysqlRows(ctx, conn, "select length(?)", strings.Repeat("y", 17<<20))
			large := ""
			must(conn.QueryRowContext(ctx, "select repeat('z', 17000000)").Scan(&large))
			seen("large", len(large))
		}
		cancelMysql(ctx, db, conn)
		must(db.Close())
	}
}

func mysqlScript(ctx context.Context, conn *sql.Conn) {
	must(conn.PingContext(ctx))
	mysqlRows(ctx, conn, mysqlTypes)
	mysqlRows(ctx, conn, "select ? + 1 as a, ? as b, ? as c", 41, "ä", nil)
	mysqlRows(ctx, conn, "select @@version, @@sql_mode, @@character_set_client, @@collation_connection, @@autocommit")
	mysqlRows(ctx, conn, "select no_such_column")
	mysqlRows(ctx, conn, "selec ?", 1)
	mysqlRows(ctx, conn, "select 1; select 2 as b, 3; select no_such_column; select 4")
	mysqlExec(ctx, conn, "create or replace table go_driver (i int primary key auto_increment, s longtext, unique (s(9)))")
	mysqlExec(ctx, conn, "insert into go_driver (s) values ('one'), ('two')")
	mysqlExec(ctx, conn, "insert into go_driver (s) values (?)", "one")
	mysqlExec(ctx, conn, "update go_driver set s = s")
	mysqlRows(ctx, conn, "select * from go_driver order by i")
	mysqlRows(ctx, conn, "select seq, repeat(seq, 9) from seq_1_to_500")
	statement, err := conn.PrepareContext(ctx, "select seq from seq_1_to_9 where seq > ?")
	must(err)
	for _, least := range []int{0, 5, 9} {
		all, err := statement.QueryContext(ctx, least)
		reportMysql(all, err)
	}
	must(statement.Close())
	mysqlExec(ctx, conn, "create or replace procedure go_driver() begin select 1 as a; select 2 as b; end")
	mysqlRows(ctx, conn, "call go_driver()")
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	must(err)
	_, err = tx.ExecContext(ctx, "delete from go_driver")
	must(err)
	must(tx.Rollback())
	mysqlRows(ctx, conn, "select count(*) from go_driver")
	mysqlExec(ctx, conn, "drop table go_driver")
	mysqlExec(ctx, conn, "drop procedure go_driver")
}

// The driver cancels by closing its connection.
func cancelMysql(ctx context.Context, db *sql.DB, conn *sql.Conn) {
	short, cancel := context.WithCancel(ctx)
	done := make(chan error)
	go func() {
		_, err := conn.ExecContext(short, "select sleep(60)")
		done <- err
	}()
	other, err := db.Conn(ctx)
	must(err)
	for count := 0; count == 0; time.Sleep(10 * time.Millisecond) {
		const sleeping = "select count(*) from information_schema.processlist where state = 'User sleep'"
		must(other.QueryRowContext(ctx, sleeping).Scan(&count))
	}
	cancel()
	seen("canceled", fmt.Sprint(<-done))
	must(other.Close())
}

func mysqlRows(ctx context.Context, conn *sql.Conn, text string, args ...any) {
	all, err := conn.QueryContext(ctx, text, args...)
	reportMysql(all, err)
}

func reportMysql(all *sql.Rows, err error) {
	if err != nil {
		seen("failed", mysqlDetails(err))
		return
	}
	for isMore := true; isMore; isMore = all.NextResultSet() {
		columns, err := all.ColumnTypes()
		must(err)
		values := make([]any, len(columns))
		heads := []any{}
		for i, column := range columns {
			values[i] = new(sql.RawBytes)
			length, _ := column.Length()
			heads = append(heads, []any{column.Name(), column.DatabaseTypeName(), length})
		}
		seen("columns", heads)
		for all.Next() {
			must(all.Scan(values...))
			seen("row", values...)
		}
	}
	seen("end", mysqlDetails(all.Err()))
	must(all.Close())
}

func mysqlExec(ctx context.Context, conn *sql.Conn, text string, args ...any) {
	result, err := conn.ExecContext(ctx, text, args...)
	if err != nil {
		seen("failed", mysqlDetails(err))
		return
	}
	id, _ := result.LastInsertId()
	count, _ := result.RowsAffected()
	seen("ran", id, count)
}

func mysqlDetails(err error) any {
	var told *mysql.MySQLError
	if errors.As(err, &told) {
		return told
	}
	return fmt.Sprint(err)
}
