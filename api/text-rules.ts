/**
 * The service's rules for texts and durations. The schemas use them; they are a module of their own so that a Terraform provider that
 * only validates does not load the schemas.
 */

import { asciiEmail } from './ascii-domain.ts';

export interface TextRule {
  /** Completes a sentence that begins with the field's name. */
  readonly message: string;
  /** The whole rule as a pattern, if it can be one: JSON Schema then includes it. */
  readonly pattern?: RegExp;
  readonly allows: (value: string) => boolean;
}

interface PatternRule extends TextRule {
  readonly pattern: RegExp;
}

const matches = (pattern: RegExp, message: string): PatternRule => ({
  message,
  pattern,
  allows: (value) => pattern.test(value),
});

const wellFormed: TextRule = {
  message: 'must be valid Unicode: it has half of a surrogate pair',
  allows: (value) => value.isWellFormed(),
};

/**
 * JSON Schema counts code points and JavaScript counts UTF-16 units. The two disagree about an emoji, so this counts code
 * points itself.
 */
const atMost = (max: number): TextRule => ({
  message: `must have at most ${max} characters`,
  // A character has at most two units, so a text with more than twice the limit is too long without counting.
  allows: (value) => value.length <= max || (value.length <= max * 2 && Array.from(value).length <= max),
});

const notEmpty: TextRule = { message: 'must not be empty', allows: (value) => value !== '' };

const visible = matches(/\S/, 'must not be only blanks');

/**
 * Characters that draw nothing, break the line or change the writing direction: zero-width spaces, soft hyphens, bidirectional marks, tags,
 * controls, separators of lines; blanks that count as letters or signs; marks of annotations; and code points that are no characters.
 */
export const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cc}\p{Zl}\p{Zp}\u2800\ufff9-\ufffc\u{13430}-\u{1343f}\u{16fe4}\u{1d159}]/u;

/** Joiners in scripts that need them, such as Persian, one at a time. There they change what is seen. */
const joinersOfScripts = /(?<=[\p{L}\p{M}])(?<![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\u200c\u200d]/u;

/** Joiners between two emoji, and the selector that makes an emoji of a sign. */
const joinersOfEmoji =
  /(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic})\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)/u;

const seenJoiners = new RegExp(`${joinersOfScripts.source}|${joinersOfEmoji.source}`, 'gu');

/** Rules for a name in a request. Without them two names could look the same, and a reviewer could mistake one for the other. */
const distinctRules: readonly TextRule[] = [
  {
    message: 'must be in the composed form of Unicode (NFC)',
    allows: (value) => value === value.normalize('NFC'),
  },
  {
    message:
      'must not have invisible characters, such as zero-width spaces, separators of lines or marks of writing direction',
    allows: (value) => !invisible.test(value.replace(seenJoiners, '')),
  },
];

/**
 * A single line of text.
 *
 * @param max characters, counted as code points
 */
export const lineRules = (max: number): readonly TextRule[] => [
  matches(/^[^\u0000-\u001f\u007f]+$/, 'must be one line of text, not empty and without control characters'),
  wellFormed,
  atMost(max),
];

/** The length that a text may have, in code points. */
export interface Bounds {
  readonly min: 0 | 1;
  readonly max: number;
}

/** Text of any number of lines. NUL is refused because PostgreSQL cannot store it. */
export const textRules = ({ min, max }: Bounds): readonly TextRule[] => [
  matches(/^[^\u0000]*$/, 'must not contain the NUL character'),
  wellFormed,
  ...(min === 0 ? [] : [notEmpty]),
  atMost(max),
];

/** The longest name of a person, a role, a data source or a snippet, in characters. */
export const longestName = 255;

/** Further rules for a name in a request. Names in answers may break them: another or an older service has accepted those. */
export const givenRules: readonly TextRule[] = [visible, ...distinctRules];

/** All rules for such a name in a request. */
export const nameRules: readonly TextRule[] = [...lineRules(longestName), ...givenRules];

export const snippetBounds = {
  description: { min: 0, max: 10_000 },
  text: { min: 1, max: 200_000 },
} as const satisfies Record<string, Bounds>;

/** The text of a message that is shown in editors. */
export const messageBounds: Bounds = { min: 1, max: 10_000 };

/** The longest e-mail address, in characters (RFC 5321). */
export const longestEmail = 254;

/** The longest permission: a hundred years of 365 days. */
export const maxDurationSeconds = 3_153_600_000;

/** HTML's rule for `<input type=email>`. */
const emailPattern =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

const emailRule = (message: string, allows: (value: string) => boolean): TextRule => ({
  message,
  allows: (value) => allows(asciiEmail(value)),
});

/** Rules for an e-mail address. Its domain may have letters of any script: `asciiEmail` gives the form that is stored. */
export const emailRules: readonly TextRule[] = [
  emailRule('must have no letters outside ASCII before the @', (value) => !/[^\x00-\x7f][^@]*@/.test(value)),
  {
    ...emailRule('must be an e-mail address such as ada@example.com', (value) => emailPattern.test(value)),
    pattern: emailPattern,
  },
  emailRule(`must have at most ${longestEmail} characters`, (value) => value.length <= longestEmail),
];

/** The message of the first rule that a text breaks, or undefined if it breaks none. */
export function brokenRule(rules: readonly TextRule[], value: string): string | undefined {
  return rules.find(({ allows }) => !allows(value))?.message;
}
