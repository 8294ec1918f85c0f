/**
 * Where in its command an error is, if the database says so.
 *
 * @param message as the service gives it; PostgreSQL's ends with its position
 * @returns from 1, in code points
 */
export function errorPosition(message: string): number | null {
  const found = /\(at character (\d{1,9})\)/.exec(message);
  return found === null ? null : Number(found[1]);
}
