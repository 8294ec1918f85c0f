import { DatabaseSync } from 'node:sqlite';

const cities = ['Lisbon', 'Utrecht', 'Graz', 'Turku', 'Nantes', 'Cork', 'Gdańsk', 'Bologna'];
const products = ['Desk lamp', 'Notebook', 'Teapot', 'Wool blanket', 'Bicycle bell', 'Paper knife'];
const [customerCount, orderCount] = [400, 20_000];
const start = Date.UTC(2026, 0, 1);

/** Makes a database of a shop, with some thousand rows to query. @param file must not exist */
export function createExampleDatabase(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec(`
      create table customer (id integer primary key, name text not null, city text not null, joined_on text not null);
      create table product (id integer primary key, name text not null, price_cents integer not null);
      create table "order" (
        id integer primary key,
        customer_id integer not null references customer (id),
        product_id integer not null references product (id),
        quantity integer not null,
        ordered_at text not null,
        note text
      );
      begin`);
    const random = createRandom();
    const customer = database.prepare('insert into customer values (?, ?, ?, ?)');
    for (let id = 1; id <= customerCount; id += 1) {
      customer.run(
        id,
        `Customer ${id}`,
        pick(cities, Math.floor(random() ** 1.5 * cities.length)),
        day(id % 200).slice(0, 10),
      );
    }
    const product = database.prepare('insert into product values (?, ?, ?)');
    for (const [index, name] of products.entries()) product.run(index + 1, name, 1290 + 730 * index);
    const order = database.prepare('insert into "order" values (?, ?, ?, ?, ?, ?)');
    for (let id = 1; id <= orderCount; id += 1) {
      // Some customers and products sell better than others.
      const [who, what] = [Math.floor(random() ** 1.5 * customerCount), Math.floor(random() ** 1.3 * products.length)];
      const note = random() < 0.1 ? 'gift wrapping' : null;
      order.run(id, 1 + who, 1 + what, 1 + Math.floor(random() * 4), day(random() * 300), note);
    }
    database.exec('create index order_customer on "order" (customer_id); commit');
  } finally {
    database.close();
  }
}

/** Numbers from 0 to 1, the same in each run of the demonstration (the generator of Park and Miller). */
function createRandom(): () => number {
  const modulus = 2 ** 31 - 1;
  let state = 1;
  return () => {
    state = (state * 48_271) % modulus;
    return state / modulus;
  };
}

function day(after: number): string {
  return new Date(start + after * 86_400_000).toISOString().replace('T', ' ').slice(0, 19);
}

function pick(values: readonly string[], index: number): string {
  return values[index % values.length] ?? '';
}
