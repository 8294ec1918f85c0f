/** A whole number with its thousands parted: `200,000`. `toLocaleString` would load all of ICU, which costs 100 ms. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
