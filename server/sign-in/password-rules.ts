/** Least length of a password in characters: alone, and with a second factor (NIST SP 800-63B-4, 3.1.1.2). */
export const leastAlone = 15;
export const leastWithSecond = 8;

/** The least number of characters of a password without the words that anyone would try. */
const leastOfOwn = 6;

let common: Promise<ReadonlySet<string>> | undefined;

/**
 * Names what is wrong with a new password. It demands no digits or symbols, because such rules make passwords alike.
 *
 * @param words of the person that guesses begin with: username, e-mail address
 * @returns as in "must have …"; undefined for a good one
 */
export async function findPasswordFlaw(
  password: string,
  { least, words }: { least: number; words: readonly string[] },
): Promise<string | undefined> {
  const text = password.normalize('NFC');
  if (lengthOf(text) < least) return `must have at least ${least} characters`;
  const lower = text.toLowerCase();
  common ??= loadCommon();
  if ((await common).has(lower) || new Set(lower).size < 4) return 'is one of the most common passwords';
  const guessable = [...words.flatMap((word) => [word, ...word.split('@')]), 'rolecall']
    .map((word) => word.normalize('NFC').toLowerCase())
    .filter((word) => word.length >= 3)
    .sort((a, b) => b.length - a.length);
  const left = guessable.reduce((rest, word) => rest.replaceAll(word, ''), lower);
  if (left !== lower && lengthOf(left) < leastOfOwn)
    return 'is made of your username, your e-mail address or "rolecall"';
  return undefined;
}

/** Counts characters as code points, which is how a person counts most of them. */
export function lengthOf(password: string): number {
  return Array.from(password.normalize('NFC')).length;
}

/** Loaded with the first password that is set: most processes never need the list. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const passwords: readonly unknown[] = dictionary['passwords-common'];
  return new Set(passwords.map(String).filter(({ length }) => length >= leastWithSecond));
}
