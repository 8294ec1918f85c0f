import java.sql.*;
import java.util.*;

/** What the scripts print: one thing that was seen in a line, with all that JDBC tells of it. */
final class Seen {
    interface Call<T> {
        T run() throws Exception;
    }

    interface Action {
        void run() throws Exception;
    }

    static void say(String what, Object... values) {
        System.out.println(what + ": " + Arrays.deepToString(values));
    }

    static String environment(String name) {
        return Objects.requireNonNull(System.getenv(name), name);
    }

    /** Prints the failure of an action. */
    static void attempt(Action action) throws Exception {
        try {
            action.run();
        } catch (SQLException error) {
            for (SQLException one = error; one != null; one = one.getNextException()) {
                say("failed", one.getClass().getSimpleName(), one.getSQLState(), one.getErrorCode(), one.getMessage());
            }
        }
    }

    /** Runs a text, and prints all results. */
    static void ask(Connection connection, String sql) throws Exception {
        attempt(() -> {
            try (Statement statement = connection.createStatement()) {
                results(statement, statement.execute(sql));
                warnings(statement.getWarnings());
            }
        });
    }

    /** Runs a prepared statement so many times, and prints all results. */
    static void ask(Connection connection, int times, String sql, Object... values) throws Exception {
        attempt(() -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int count = 0; count < times; count += 1) {
                    for (int at = 0; at < values.length; at += 1) statement.setObject(at + 1, values[at]);
                    results(statement, statement.execute());
                }
            }
        });
    }

    static void results(Statement statement, boolean isRows) throws SQLException {
        for (; ; isRows = statement.getMoreResults()) {
            if (isRows) rows(statement.getResultSet());
            else if (statement.getUpdateCount() == -1) return;
            else say("count", statement.getUpdateCount());
        }
    }

    static void rows(ResultSet rows) throws SQLException {
        ResultSetMetaData columns = rows.getMetaData();
        for (int at = 1; at <= columns.getColumnCount(); at += 1) {
            say("column", columns.getColumnLabel(at), columns.getColumnTypeName(at), columns.getPrecision(at), columns.getScale(at),
                columns.isNullable(at), columns.getTableName(at), columns.isAutoIncrement(at));
        }
        while (rows.next()) {
            Object[] row = new Object[columns.getColumnCount()];
            for (int at = 0; at < row.length; at += 1) {
                String text = rows.getString(at + 1);
                row[at] = text != null && text.length() > 1000 ? text.length() : text;
            }
            say("row", row);
        }
    }

    static void warnings(SQLWarning first) {
        for (SQLWarning one = first; one != null; one = one.getNextWarning()) {
            say("warning", one.getSQLState(), one.getErrorCode(), one.getMessage());
        }
    }
}
