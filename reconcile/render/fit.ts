/** A part of a text that consists of lines. Any number of them may be left out at its end. */
export interface Section {
  head: readonly string[];
  lines: readonly string[];
  tail: readonly string[];
  /** The rank in which it is shortened; 0 is shortened last. */
  expendable: number;
}

/**
 * Joins sections to a text of at most so many characters. What does not fit is left out line by line, from the section
 * that matters least; where lines are left out stands how many.
 *
 * @param note says that so many lines were left out, and how to see them
 */
export function fitSections(sections: readonly Section[], limit: number, note: (lines: number) => string): string {
  const shown = sections.filter(({ head, lines }) => head.length + lines.length > 0);
  let over = join(shown).length - limit;
  if (over <= 0) return join(shown);
  const shortened = new Map<Section, Section>();
  for (const section of shown.toSorted((a, b) => b.expendable - a.expendable)) {
    if (over <= 0) break;
    const { kept, freed } = shorten(section.lines, over, note);
    if (kept === section.lines.length) continue;
    over -= freed;
    const left = note(section.lines.length - kept);
    shortened.set(section, { ...section, lines: section.lines.slice(0, kept), tail: ['', left, ...section.tail] });
  }
  return join(shown.map((section) => shortened.get(section) ?? section));
}

/** Counts the lines that can stay so that so many characters are freed, the note itself counted. */
function shorten(lines: readonly string[], over: number, note: (lines: number) => string) {
  let freed = 0;
  let kept = lines.length;
  const cost = note(lines.length).length + 2;
  while (kept > 0 && freed - cost < over) {
    kept -= 1;
    freed += (lines[kept]?.length ?? 0) + 1;
  }
  return { kept, freed: freed - cost };
}

function join(sections: readonly Section[]): string {
  return sections.map(({ head, lines, tail }) => [...head, ...lines, ...tail].join('\n')).join('\n\n');
}
