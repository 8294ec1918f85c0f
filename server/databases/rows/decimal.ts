/** The most characters of a 64-bit float without an exponent: 5e-324 has 324 digits after the point. */
export const longestDecimal = 400;

/**
 * Writes a number without an exponent, since the format `numeric` has none: 1.5e+3 is 1500, 2e-7 is 0.0000002. Any other
 * text (NaN, Infinity, 0.10) stays as it is.
 */
export function withoutExponent(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]?\d{1,3})$/i.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
