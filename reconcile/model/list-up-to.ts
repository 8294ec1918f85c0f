/** Lists the first names, and how many more there are: a message about thousands names a few. */
export function listUpTo(most: number, names: readonly string[], separator = ', '): string {
  const rest = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(separator)}${rest}`;
}
