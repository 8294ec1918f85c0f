import { diffLines } from './line-diff.ts';

const spoken = { same: '', removed: 'removed: ', added: 'added: ' };
const signs = { same: '  ', removed: '- ', added: '+ ' };

interface ListingProps {
  readonly text: string;
  /** Text to compare it with. */
  readonly original?: string;
}

/** A text of a snippet, or what changes from another one to it. It scrolls by itself, also by keyboard. */
export function Listing({ text, original }: ListingProps) {
  const lines = original === undefined ? undefined : diffLines(original, text);
  return (
    <pre class="listing" tabIndex={0} role="region" aria-label={lines === undefined ? 'Text' : 'Differences'}>
      {lines === undefined
        ? text
        : lines.map(({ kind, text: line }, index) => (
            <span key={index} class={kind}>
              <span class="spoken">{spoken[kind]}</span>
              {signs[kind]}
              {line}
            </span>
          ))}
    </pre>
  );
}
