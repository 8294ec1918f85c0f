import { withoutExponent } from '../rows/decimal.ts';

/** A value that SQLite gives as text: a float always has a point, as SQLite itself writes it. */
export function textOf(value: null | number | bigint | string): string | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  if (Object.is(value, -0)) return '-0.0';
  const text = withoutExponent(String(value));
  return Number.isInteger(value) ? `${text}.0` : text;
}
