import java.io.*;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.copy.CopyManager;

/** Runs a script with pgjdbc in several modes, and prints what it sees. Where the server is, is in the environment as psql has it. */
final class Pgjdbc {
    static final String TYPES = "select 1::int2 as a, 2::int4 as b, 3::int8 as c, 1.5::float4 as d, 2.5::float8 as e, 12345.678::numeric as f,"
        + " 'ä€😀'::text as g, '\\x00ff'::bytea as h, true as i, date '2026-01-02' as j, timestamp '2026-01-02 03:04:05.678' as k,"
        + " timestamptz '2026-01-02 03:04:05+00' as l, interval '1 day 2 hours' as m, '{\"a\": [1]}'::jsonb as n,"
        + " array[1, null, 3] as o, null::text as p, 'c0ffee00-0000-4000-8000-000000000001'::uuid as q, '10.0.0.0/8'::cidr as r";

    public static void main(String[] args) throws Exception {
        for (String mode : List.of("extended", "extendedForPrepared", "extendedCacheEverything", "simple")) {
            Properties properties = new Properties();
            properties.setProperty("user", Seen.environment("PGUSER"));
            properties.setProperty("password", Seen.environment("PGPASSWORD"));
            properties.setProperty("sslmode", "disable");
            properties.setProperty("preferQueryMode", mode);
            properties.setProperty("prepareThreshold", "2");
            String place = Seen.environment("PGHOST") + ":" + Seen.environment("PGPORT") + "/" + Seen.environment("PGDATABASE");
            try (Connection connection = DriverManager.getConnection("jdbc:postgresql://" + place, properties)) {
                Seen.say("mode", mode, connection.unwrap(PGConnection.class).getParameterStatuses());
                script(connection);
                if (mode.equals("extended")) once(connection);
            }
        }
    }

    static void script(Connection connection) throws Exception {
        Seen.ask(connection, TYPES);
        Seen.ask(connection, 4, "select i, ? from generate_series(1, ?) i", "it's", 2);
        Seen.ask(connection, 1, TYPES);
        Seen.ask(connection, "select 1 as a; select 2 as b; update pg_class set relname = '' where false");
        Seen.ask(connection, "select no_such_column from pg_class");
        Seen.ask(connection, 2, "select 1 / ?", 0);
        Seen.ask(connection, "create temp table t (i int primary key, s text not null)");
        batches(connection);
        cursors(connection);
        Seen.ask(connection, "do $$ begin raise notice 'a notice'; raise warning using message = 'a warning', hint = 'a hint'; end $$");
        Seen.ask(connection, 1, "select abs(?::int)", -7);
        Seen.say("valid", connection.isValid(10));
    }

    static void batches(Connection connection) throws Exception {
        for (int last : List.of(300, 1)) {
            Seen.attempt(() -> {
                try (PreparedStatement statement = connection.prepareStatement("insert into t values (?, ?)")) {
                    for (int count = last; count < last + 200; count += 1) {
                        statement.setInt(1, count % 400);
                        statement.setString(2, "row " + count);
                        statement.addBatch();
                    }
                    statement.setInt(1, last);
                    statement.addBatch();
                    Seen.say("batch", Arrays.stream(statement.executeBatch()).sum());
                }
            });
        }
        Seen.ask(connection, "select count(*) from t");
        Seen.attempt(() -> {
            try (PreparedStatement statement = connection.prepareStatement("insert into t values (?, 'x')", Statement.RETURN_GENERATED_KEYS)) {
                for (int count = 1000; count < 1150; count += 1) {
                    statement.setInt(1, count);
                    statement.addBatch();
                }
                Seen.say("batch", Arrays.stream(statement.executeBatch()).sum());
                ResultSet keys = statement.getGeneratedKeys();
                int sum = 0;
                while (keys.next()) sum += keys.getInt(1);
                Seen.say("keys", sum);
            }
        });
    }

    static void cursors(Connection connection) throws Exception {
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement("select * from t where i >= ? order by i")) {
            statement.setFetchSize(40);
            for (int count = 0; count < 3; count += 1) {
                statement.setInt(1, 1000);
                ResultSet rows = statement.executeQuery();
                int seen = 0;
                while (rows.next() && seen < 100) seen += 1;
                Seen.say("fetched", seen, rows.getInt(1));
            }
        }
        Savepoint savepoint = connection.setSavepoint("here");
        Seen.ask(connection, "insert into t values (1000, 'twice')");
        Seen.ask(connection, "select 1");
        connection.rollback(savepoint);
        Seen.ask(connection, 1, "delete from t where i < ?", 1100);
        connection.rollback();
        connection.setReadOnly(true);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        Seen.ask(connection, "create table not_here ()");
        connection.rollback();
        connection.setReadOnly(false);
        connection.setAutoCommit(true);
    }

    /** What does not depend on the mode. */
    static void once(Connection connection) throws Exception {
        CopyManager copy = connection.unwrap(PGConnection.class).getCopyAPI();
        StringBuilder lines = new StringBuilder();
        for (int count = 5000; count < 8000; count += 1) lines.append(count).append("\trow\n");
        Seen.say("copied in", copy.copyIn("copy t from stdin", new StringReader(lines.toString())));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Seen.say("copied out", copy.copyOut("copy (select * from t order by i) to stdout", out), out.size());
        Seen.attempt(() -> copy.copyIn("copy t from stdin", new StringReader("wrong\n")));
        Seen.attempt(() -> copy.copyIn("copy t from stdin").cancelCopy());
        Seen.attempt(() -> copy.copyOut("copy (select 1 / 0) to stdout", out));
        Seen.ask(connection, 1, "select length(?)", "ä".repeat(9 << 20));
        Seen.ask(connection, "select repeat('y', 17 * 1024 * 1024)");
        Seen.ask(connection, "listen here");
        Seen.ask(connection, "notify here, 'hello'");
        for (PGNotification one : connection.unwrap(PGConnection.class).getNotifications(10_000)) {
            Seen.say("notification", one.getName(), one.getParameter());
        }
        DatabaseMetaData about = connection.getMetaData();
        Seen.say("about", about.getDatabaseProductVersion(), about.getMaxConnections(), about.getSchemas().getMetaData().getColumnCount());
        Seen.rows(about.getColumns(null, "pg_catalog", "pg_am", "%"));
        cancel(connection);
    }

    static void cancel(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement()) {
            Thread canceling = new Thread(() -> {
                try {
                    while (statement.getWarnings() == null) Thread.sleep(10);
                    statement.cancel();
                } catch (Exception error) {
                    throw new RuntimeException(error);
                }
            });
            canceling.start();
            Seen.attempt(() -> statement.execute("do $$ begin raise notice 'running'; perform pg_sleep(60); end $$"));
            canceling.join();
        }
        Seen.ask(connection, "select 'still here'");
    }
}
