/** What is wrong with a text that was given as a part of an API key, in words that follow where it stands. */
export interface KeyMistake {
  fault: string;
  remedy: string;
}

/** Of a key, in the order in which they are looked at; a file before it is taken for a secret or read as JSON. */
export const keyParts = ['file', 'id', 'secret'] as const;
export type KeyPart = (typeof keyParts)[number];

type Row = readonly [pattern: RegExp, fault: string, remedy: string];

const quotes: Row = [/^(["']).*\1$/s, 'stands in quotes', 'Remove them: not everything that sets variables does.'];

/** What no key has, and people give. The first that fits is told. */
const mistakes: Readonly<Record<KeyPart, readonly Row[]>> = {
  id: [
    quotes,
    [/\s/, 'has white space in it or around it', 'Remove it.'],
    [/@api$/, 'ends in @api', 'Leave that out: it is added to the id when it is sent.'],
    [/:/, 'has a colon in it', 'Give the id and the secret each by itself.'],
  ],
  secret: [quotes, [/^\s|\s$/, 'begins or ends with white space', 'Remove that, such as a line break at the end.']],
  file: [
    // UTF-16 is not decoded, and begins with characters that stand for what could not be read.
    [/^[\uFEFF\uFFFD]/, 'begins with a byte order mark', 'Save it as UTF-8 without one.'],
    [
      /^\s*ROLECALL_KEY_(?:ID|SECRET)=/,
      'begins with a variable, as keys create prints it',
      'Save the secret alone, or what rolecall keys create --format json prints.',
    ],
  ],
};

/**
 * Finds what makes a text no part of a key, which the service would only call unknown.
 *
 * @returns never with the text in it, as it may be the secret
 */
export function findKeyMistake(part: KeyPart, text: string): KeyMistake | undefined {
  const row = mistakes[part].find(([pattern]) => pattern.test(text));
  return row === undefined ? undefined : { fault: row[1], remedy: row[2] };
}
