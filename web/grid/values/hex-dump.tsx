import { useSignal } from '@preact/signals';
import { hexLines } from './hex-lines.ts';
import { count, counted } from './summary.ts';

/** Bytes that are shown at a time. */
const step = 4096;

/** Bytes as digits and as text. */
export function HexDump({ digits }: { readonly digits: string }) {
  const shown = useSignal(step);
  const rest = digits.length / 2 - shown.value;
  return (
    <>
      <pre class="hex">{hexLines(digits, shown.value).join('\n')}</pre>
      {rest > 0 && (
        <button
          type="button"
          onClick={() => {
            shown.value += step * 4;
          }}
        >
          Show more ({count(shown.value)} of {counted(digits.length / 2, 'byte')} are shown)
        </button>
      )}
    </>
  );
}
