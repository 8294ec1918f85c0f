/** A cell shows no more than this; the panel beside the grid has the whole value. */
const mostShown = 200;

/** Characters that show nothing, or show the text after them in another order: a cell could read as what it is not. */
const hidden = /\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text of a cell for a value, on one line. */
export function cellText(value: string): string {
  const text = value.length > mostShown ? `${value.slice(0, mostShown)}…` : value;
  return text
    .replace(/\r\n|[\r\n]/g, '↵')
    .replace(/\t/g, '⇥')
    .replace(hidden, (character) => `⟨${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** Of scripts whose characters are twice as wide. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/gu;

/** Returns the width of a text in a font of fixed width, in characters. */
export function textWidth(text: string): number {
  return text.length + (text.match(wide)?.length ?? 0);
}
