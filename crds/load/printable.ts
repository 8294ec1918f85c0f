/**
 * Writes what a terminal or a review would act on, or not show, as escapes: control characters, marks that turn the
 * direction of writing, invisible ones, halves of surrogate pairs. Names and keys come from files that anybody may have
 * written.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
