import type { Random } from '../../support/random.ts';

const texts = [
  '',
  ' ',
  '\u0000',
  'null',
  '\ud800',
  '\u202e\u0000\ufeff',
  '😀'.repeat(300),
  'İıſK',
  "'; DROP TABLE person; --",
  '${jndi:ldap://127.0.0.1/x}',
  '../../../../etc/passwd',
  '%00%ff%zz',
  '__proto__',
  'constructor',
  '2026-13-45T99:99:99Z',
  '9'.repeat(400),
  'x'.repeat(70_000),
  '\r\nx-injected: 1',
  '<script>alert(1)</script>',
];

const numbers = [0, -0, -1, 1, 0.5, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 1e308, -1e308, 5e-324];

/** Any value of JSON, the unlikely ones first. */
export function anything(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 4 ? 4 : 6);
  if (kind === 0) return random.pick(texts);
  if (kind === 1) return random.pick(numbers);
  if (kind === 2) return random.pick([null, true, false]);
  if (kind === 3) return String.fromCodePoint(...Array.from({ length: random.below(20) }, () => random.below(0xd7ff)));
  const length = random.below(4);
  if (kind === 4) return Array.from({ length }, () => anything(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length }, () => [random.pick(texts).slice(0, 50), anything(random, depth + 1)]),
  );
}

/** A body that was fine, with something wrong in one place. */
export function mutate(body: Record<string, unknown>, random: Random): unknown {
  const names = Object.keys(body);
  const name = names.length === 0 ? 'name' : random.pick(names);
  switch (random.below(7)) {
    case 0: {
      const { [name]: _left, ...rest } = body;
      return rest;
    }
    case 1:
      return { ...body, [random.pick(['extra', '__proto__', 'toString', '', name.toUpperCase()])]: anything(random) };
    case 2:
      return anything(random);
    case 3:
      return { ...body, [name]: [body[name]] };
    case 4:
      return { ...body, [name]: { [name]: body[name] } };
    default:
      return { ...body, [name]: anything(random) };
  }
}

/** A text with a few of its bytes changed, left out or doubled. */
export function scramble(text: string, random: Random): Buffer {
  const bytes = [...Buffer.from(text)];
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    const at = random.below(bytes.length + 1);
    const changed = random.pick([[], [random.below(256)], [bytes[at] ?? 0, bytes[at] ?? 0]]);
    bytes.splice(at, 1, ...changed);
  }
  return Buffer.from(bytes);
}
