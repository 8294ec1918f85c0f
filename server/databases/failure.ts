import type { ConnectionUri } from '@rolecall/api';

const longestMessage = 1000;

const withheld = 'the reason is not shown, since it has the password in it';

/**
 * The reason why a connection or a command failed, in the driver's own words.
 *
 * @param error what the driver threw; Node throws an AggregateError without a message when a name has several addresses
 * @param uri the target: drivers and servers may repeat its password. A message that contains it is withheld entirely, since
 *   a gap in well-known words would reveal it
 */
export function describeFailure(error: unknown, uri: Partial<ConnectionUri> | undefined): string {
  const text = withoutPassword([...new Set(messages(error))].join('; '), uri);
  // Servers choose some of these words: remove control characters, which terminals act on, and limit the length.
  const printable = text.replace(/\p{Cc}+/gu, ' ').trim();
  return printable.length <= longestMessage ? printable : `${printable.slice(0, longestMessage)}…`;
}

function messages(error: unknown): string[] {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.flatMap(messages);
  if (!(error instanceof Error)) return [String(error)];
  // A person who runs a query may not know what ECONNREFUSED means.
  if ('syscall' in error && error.syscall === 'connect') return [`the database does not answer: ${error.message}`];
  if (error.message !== '') return [error.message];
  return ['code' in error ? String(error.code) : error.name];
}

function withoutPassword(text: string, { password = '', user, host, database }: Partial<ConnectionUri> = {}): string {
  if (password === '') return text;
  const tells = [password, encodeURIComponent(password)].some((secret) => {
    // Parts that lists show may contain the password by chance, and reveal nothing by that.
    const shown = [user, host, database].filter((part) => part?.includes(secret) === true);
    return shown.reduce((rest: string, part = '') => rest.replaceAll(part, '\0'), text).includes(secret);
  });
  return tells ? withheld : text;
}
