// Clients of PostgreSQL and MySQL, each of which runs a script and prints what it sees. Where the server is, is in variables
// of the environment as psql has them.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	scripts := map[string]func(context.Context){"pgx": runPgx, "go-sql-driver": runMysql}
	scripts[os.Args[1]](ctx)
}

// Prints one thing that was seen, as JSON in one line.
func seen(what string, values ...any) {
	text, err := json.Marshal(values)
	must(err)
	fmt.Printf("%s: %s\n", what, text)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
