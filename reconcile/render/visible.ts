/**
 * Control characters, format characters (among them those that turn the direction of text round), line separators and
 * halves of characters: what a terminal would obey, or what would make a text look like another one.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Makes a text that came from a definition or from the service fit for one line of a terminal: nothing in it acts. */
export function visible(text: string): string {
  return text.replace(unprintable, (character) => short[character] ?? escape(character));
}

/** The same for text that consists of lines: their line breaks stay. */
export function visibleLines(text: string): string {
  return text
    .split('\n')
    .map((line) => visible(line.replace(/\r$/, '')))
    .join('\n');
}

function escape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
