const longestMessage = 1000;

/**
 * Says why a connection failed, in the driver's own words.
 *
 * @param error what the driver threw; Node throws an AggregateError without a message when a name has several addresses
 * @param password masked wherever it occurs, since drivers and servers may repeat what they were given
 */
export function describeFailure(error: unknown, password: string | undefined): string {
  const text = mask([...new Set(messages(error))].join('; '), password);
  // Servers choose some of these words: no control characters (terminals act on them), no end of text.
  const printable = text.replace(/\p{Cc}+/gu, ' ').trim();
  return printable.length <= longestMessage ? printable : `${printable.slice(0, longestMessage)}…`;
}

function messages(error: unknown): string[] {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.flatMap(messages);
  if (!(error instanceof Error)) return [String(error)];
  if (error.message !== '') return [error.message];
  return ['code' in error ? String(error.code) : error.name];
}

function mask(text: string, password: string | undefined): string {
  if (password === undefined || password === '') return text;
  return [password, encodeURIComponent(password)].reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}
