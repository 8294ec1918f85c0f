import { invisible } from '@rolecall/api';

/** These are seen in some scripts and in emoji, which the expressions of Kubernetes cannot tell. */
const sometimesSeen: ReadonlySet<number> = new Set([0x200c, 0x200d, 0xfe0f]);

const lastCodePoint = 0x10ffff;

/** The characters that no name has, as a class of Go's regular expressions, which know no such properties of Unicode. */
export function invisibleRanges(): string {
  const ranges: string[] = [];
  let start: number | undefined;
  for (let code = 0; code <= lastCodePoint + 1; code += 1) {
    const isIn = code <= lastCodePoint && invisible.test(String.fromCodePoint(code)) && !sometimesSeen.has(code);
    if (isIn) start ??= code;
    else if (start !== undefined) {
      ranges.push(start === code - 1 ? hex(start) : `${hex(start)}-${hex(code - 1)}`);
      start = undefined;
    }
  }
  return ranges.join('');
}

const hex = (code: number): string => `\\x{${code.toString(16)}}`;
