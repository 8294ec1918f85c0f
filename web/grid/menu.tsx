import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

interface MenuProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A button that opens some choices. It closes when one is taken, with Escape, and when the focus goes elsewhere. */
export function Menu({ label, children }: MenuProps) {
  const place = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (place.current !== null) place.current.open = false;
  };
  return (
    <details
      class="menu"
      ref={place}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        close();
        place.current?.querySelector('summary')?.focus();
      }}
      onFocusOut={(event) => {
        const to = event.relatedTarget;
        if (to instanceof Node && place.current?.contains(to) !== true) close();
      }}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest('button, a') !== null) close();
      }}
    >
      <summary>{label}</summary>
      <div class="choices">{children}</div>
    </details>
  );
}
