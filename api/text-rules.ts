/**
 * What the service asks of the texts that it takes. Kept apart from the schemas, which are made of these rules: a Terraform
 * provider that only validates then reads no schema at all.
 */

export interface TextRule {
  /** What a text that breaks it is told. */
  readonly message: string;
  /** Where a pattern says all of it: then a schema can show it. */
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
 * JSON Schema counts characters as code points while JavaScript counts UTF-16 units, so the length is counted by hand: the
 * two would disagree about an emoji.
 */
const atMost = (max: number): TextRule => ({
  message: `must have at most ${max} characters`,
  // A character is at most two units: longer ones need not be taken apart to be counted.
  allows: (value) => value.length <= max || (value.length <= max * 2 && Array.from(value).length <= max),
});

const notEmpty: TextRule = { message: 'must not be empty', allows: (value) => value !== '' };

const visible = matches(/\S/, 'must not be only blanks');

/** What shows nothing, or turns the direction of what follows: zero-width characters, bidirectional marks, soft hyphens and the like. */
const invisible = /\p{Default_Ignorable_Code_Point}/u;

/** Joiners and variation selectors in scripts that are written with them, such as Persian, and in emoji. There they can be seen. */
const seenJoiners =
  /(?<=[\p{L}\p{M}\p{Extended_Pictographic}])(?<![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\u200c\u200d\ufe0f]+/gu;

/** Rules for a name that is given. Without them two names could look the same, and a reviewer would take one for the other. */
const distinctRules: readonly TextRule[] = [
  {
    message: 'must be in the composed form of Unicode (NFC)',
    allows: (value) => value === value.normalize('NFC'),
  },
  {
    message: 'must not have invisible characters, such as zero-width spaces or marks of writing direction',
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

/** How long a text may be, in characters, counted as code points. */
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

/** What a name that is given must keep to besides. Answers may have others: another service, or an older one, has taken them. */
export const givenRules: readonly TextRule[] = [visible, ...distinctRules];

/** A name as it may be given to one of them. */
export const nameRules: readonly TextRule[] = [...lineRules(longestName), ...givenRules];

export const snippetBounds = {
  description: { min: 0, max: 10_000 },
  text: { min: 1, max: 200_000 },
} as const satisfies Record<string, Bounds>;

/** The longest e-mail address, in characters (RFC 5321). */
export const longestEmail = 254;

export const emailRules: readonly TextRule[] = [
  // The rule that HTML gives for `<input type=email>`.
  matches(
    /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/,
    'must be an e-mail address such as ada@example.com',
  ),
  atMost(longestEmail),
];

/** What the first rule that a text breaks says, or undefined where it breaks none. */
export function brokenRule(rules: readonly TextRule[], value: string): string | undefined {
  return rules.find(({ allows }) => !allows(value))?.message;
}
