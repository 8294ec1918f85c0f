import type { ConnectionUri } from '@rolecall/api';

const longestMessage = 1000;

const withheld = 'the reason is not shown, since it has the password in it';

/**
 * Says why a connection failed, in the driver's own words.
 *
 * @param error what the driver threw; Node throws an AggregateError without a message when a name has several addresses
 * @param uri what was connected to: drivers and servers may repeat its password. A message that has it is withheld as a whole,
 *   since a gap in words that anyone can guess would tell it
 */
export function describeFailure(error: unknown, uri: Partial<ConnectionUri> | undefined): string {
  const text = withoutPassword([...new Set(messages(error))].join('; '), uri);
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

function withoutPassword(text: string, { password = '', user, host, database }: Partial<ConnectionUri> = {}): string {
  if (password === '') return text;
  const tells = [password, encodeURIComponent(password)].some((secret) => {
    // What lists show may have the password in it by chance, and says nothing by that.
    const shown = [user, host, database].filter((part) => part?.includes(secret) === true);
    return shown.reduce((rest: string, part = '') => rest.replaceAll(part, '\0'), text).includes(secret);
  });
  return tells ? withheld : text;
}
