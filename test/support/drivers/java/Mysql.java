import java.sql.*;
import java.util.*;

/**
 * Runs a script with a driver for MySQL or MariaDB, with statements prepared by the driver and by the server, and prints what it
 * sees. Where the server is, is in the environment as psql has it; the only argument is the scheme of the URL.
 */
final class Mysql {
    static final String TYPES = "select cast(1 as signed) as a, cast(2 as unsigned) as b, 1.5e0 as c, cast(2.5 as decimal(10, 2)) as d, 'ä€😀' as e,"
        + " x'00ff' as f, true as g, date '2026-01-02' as h, timestamp '2026-01-02 03:04:05.678' as i, time '12:34:56' as j,"
        + " null as k, json_object('a', 1) as l, repeat('x', 300) as m, 18446744073709551615 as n";

    public static void main(String[] args) throws Exception {
        String place = Seen.environment("PGHOST") + ":" + Seen.environment("PGPORT") + "/" + Seen.environment("PGDATABASE");
        for (String isOnServer : List.of("false", "true")) {
            Properties properties = new Properties();
            properties.setProperty("user", Seen.environment("PGUSER"));
            properties.setProperty("password", Seen.environment("PGPASSWORD"));
            properties.setProperty("sslMode", args[0].equals("mysql") ? "DISABLED" : "disable");
            properties.setProperty("allowMultiQueries", "true");
            properties.setProperty("useServerPrepStmts", isOnServer);
            properties.setProperty("rewriteBatchedStatements", isOnServer.equals("true") ? "false" : "true");
            properties.setProperty("useCursorFetch", isOnServer);
            String url = "jdbc:" + args[0] + "://" + place;
            try (Connection connection = DriverManager.getConnection(url, properties);
                    Connection other = DriverManager.getConnection(url, properties)) {
                Seen.say("mode", isOnServer, connection.getMetaData().getDatabaseProductVersion());
                script(connection);
                if (isOnServer.equals("true")) large(connection);
                cancel(connection, other, args[0] + isOnServer);
            }
        }
    }

    static void script(Connection connection) throws Exception {
        Seen.ask(connection, TYPES);
        Seen.ask(connection, 3, TYPES);
        Seen.ask(connection, 2, "select ? + 1 as a, ? as b, ? as c", 41, "ä'\\", null);
        Seen.ask(connection, "select @@sql_mode, @@character_set_client, @@collation_connection, @@autocommit, @@time_zone");
        Seen.ask(connection, "select no_such_column");
        Seen.ask(connection, 1, "selec ?", 1);
        Seen.ask(connection, "select 1; select 2 as b; select no_such_column; select 4");
        Seen.ask(connection, "create or replace table jdbc (i int primary key auto_increment, s longtext, unique (s(9)))");
        Seen.ask(connection, "insert into jdbc (s) values ('one'), ('two')");
        Seen.ask(connection, 2, "insert into jdbc (s) values (?)", "three");
        Seen.ask(connection, "insert ignore into jdbc (s) values ('one')");
        Seen.ask(connection, "select * from jdbc order by i");
        batches(connection);
        cursors(connection);
        Seen.ask(connection, "create or replace procedure jdbc(in a int, out b int) begin select a; set b = a + 1; select 'more'; end");
        try (CallableStatement statement = connection.prepareCall("{call jdbc(?, ?)}")) {
            statement.setInt(1, 7);
            statement.registerOutParameter(2, Types.INTEGER);
            Seen.results(statement, statement.execute());
            Seen.say("out", statement.getInt(2));
        }
        DatabaseMetaData about = connection.getMetaData();
        Seen.rows(about.getColumns(connection.getCatalog(), null, "jdbc", "%"));
        Seen.ask(connection, "drop table jdbc");
        Seen.ask(connection, "drop procedure jdbc");
        connection.setCatalog("mysql");
        Seen.say("catalog", connection.getCatalog(), connection.isValid(10));
    }

    static void batches(Connection connection) throws Exception {
        for (String first : List.of("batch 0", "batch 9")) {
            Seen.attempt(() -> {
                try (PreparedStatement statement =
                        connection.prepareStatement("insert into jdbc (s) values (?)", Statement.RETURN_GENERATED_KEYS)) {
                    statement.setString(1, first);
                    statement.addBatch();
                    for (int count = 100; count < 300; count += 1) {
                        statement.setString(1, count + first.substring(6));
                        statement.addBatch();
                    }
                    Seen.say("batch", statement.executeBatch().length);
                    ResultSet keys = statement.getGeneratedKeys();
                    Seen.say("key", keys.next(), keys.getLong(1));
                }
            });
        }
        Seen.ask(connection, "select count(*) from jdbc");
    }

    static void cursors(Connection connection) throws Exception {
        for (int size : List.of(Integer.MIN_VALUE, 50)) {
            Seen.attempt(() -> {
                try (PreparedStatement statement = connection.prepareStatement(
                        "select seq, repeat(seq, 9) from seq_1_to_500 where seq > ?", ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
                    statement.setFetchSize(size);
                    for (int count = 0; count < 2; count += 1) {
                        statement.setInt(1, 7);
                        ResultSet rows = statement.executeQuery();
                        long sum = 0;
                        while (rows.next()) sum += rows.getLong(1) + rows.getString(2).length();
                        Seen.say("fetched", sum);
                        rows.close();
                    }
                }
            });
        }
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        Savepoint savepoint = connection.setSavepoint("here");
        Seen.ask(connection, 1, "delete from jdbc where i > ?", 1);
        connection.rollback(savepoint);
        Seen.ask(connection, "select count(*) from jdbc");
        connection.commit();
        connection.setReadOnly(true);
        Seen.ask(connection, "delete from jdbc");
        connection.rollback();
        connection.setReadOnly(false);
        connection.setAutoCommit(true);
    }

    static void large(Connection connection) throws Exception {
        Seen.ask(connection, 1, "select length(?)", "y".repeat(17 << 20));
        Seen.ask(connection, "select repeat('z', 17000000)");
    }

    static void cancel(Connection connection, Connection other, String name) throws Exception {
        try (Statement statement = connection.createStatement(); Statement looking = other.createStatement()) {
            Thread canceling = new Thread(() -> {
                try {
                    // Another client's may not have ended.
                    String sleeping = "select 1 from information_schema.processlist where state = 'User sleep' and info like '%" + name + "%'";
                    while (!looking.executeQuery(sleeping).next()) Thread.sleep(10);
                    statement.cancel();
                } catch (Exception error) {
                    throw new RuntimeException(error);
                }
            });
            canceling.start();
            try {
                Seen.say("not canceled", statement.execute("select sleep(60), '" + name + "' from seq_1_to_9"));
            } catch (SQLException error) {
                // Which error it is depends on which of its threads is first.
                Seen.say("canceled");
            }
            canceling.join();
        }
        Seen.ask(connection, "select 'still here'");
    }
}
