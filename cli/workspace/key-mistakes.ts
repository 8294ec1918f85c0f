/** Mistake in a part of an API key. `fault` continues a sentence that begins with the name of the setting. */
export interface KeyMistake {
  fault: string;
  remedy: string;
}

/** The parts in the order in which they are checked: the file first, before it is read as JSON or as a secret. */
export const keyParts = ['file', 'id', 'secret'] as const;
export type KeyPart = (typeof keyParts)[number];

type Row = readonly [pattern: RegExp, fault: string, remedy: string];

const quotes: Row = [/^(["']).*\1$/s, 'is in quotes', 'Remove the quotes.'];

/** Common mistakes; the first that matches is reported. */
const mistakes: Readonly<Record<KeyPart, readonly Row[]>> = {
  id: [
    quotes,
    [/\s/, 'contains white space', 'Remove it.'],
    [/@api$/, 'ends in @api', 'Remove that: Rolecall adds it.'],
    [/:/, 'contains a colon', 'Give the id and the secret separately.'],
  ],
  secret: [quotes, [/^\s|\s$/, 'begins or ends with white space', 'Remove it, for example a line break at the end.']],
  file: [
    // UTF-16, read as UTF-8, begins with replacement characters.
    [/^[\uFEFF\uFFFD]/, 'begins with a byte order mark', 'Save the file as UTF-8 without it.'],
    [
      /^\s*ROLECALL_KEY_(?:ID|SECRET)=/,
      'begins with a variable, as keys create prints it',
      'Save only the secret, or the output of rolecall keys create --format json.',
    ],
  ],
};

/**
 * Finds a common mistake in a part of a key; the service would only report an unknown key.
 *
 * @returns never contains the text, which may be the secret
 */
export function findKeyMistake(part: KeyPart, text: string): KeyMistake | undefined {
  const row = mistakes[part].find(([pattern]) => pattern.test(text));
  return row === undefined ? undefined : { fault: row[1], remedy: row[2] };
}
