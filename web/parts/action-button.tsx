import type { ComponentChildren } from 'preact';
import type { Action } from '../browser/use-action.ts';

interface ActionButtonProps {
  readonly action: Action;
  readonly work: () => Promise<void>;
  /** For the one thing that a view is there for. */
  readonly isMain?: boolean;
  readonly children: ComponentChildren;
}

/** A button that begins an action, and is off while the action does anything. */
export function ActionButton({ action, work, isMain = false, children }: ActionButtonProps) {
  return (
    <button
      class={isMain ? 'main' : undefined}
      type="button"
      disabled={action.busy}
      onClick={() => {
        action.run(work);
      }}
    >
      {children}
    </button>
  );
}
