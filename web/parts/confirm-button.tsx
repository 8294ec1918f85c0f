import { useSignal } from '@preact/signals';
import type { Action } from '../browser/use-action.ts';

interface ConfirmButtonProps {
  /** The text of the button. */
  readonly label: string;
  /** Its effect, as a question. */
  readonly question: string;
  readonly action: Action;
  readonly confirm: () => Promise<void>;
}

/** A button for what cannot be undone: it asks before it does it. */
export function ConfirmButton({ label, question, action, confirm }: ConfirmButtonProps) {
  const isAsking = useSignal(false);
  if (!isAsking.value) {
    return (
      <button type="button" disabled={action.busy} onClick={() => (isAsking.value = true)}>
        {label}
      </button>
    );
  }
  return (
    <span class="question" role="group" aria-label={question}>
      <span>{question}</span>{' '}
      <button
        type="button"
        class="danger"
        disabled={action.busy}
        ref={(button) => button?.focus()}
        onClick={() => {
          isAsking.value = false;
          action.run(confirm);
        }}
      >
        {label}
      </button>{' '}
      <button type="button" onClick={() => (isAsking.value = false)}>
        Keep
      </button>
    </span>
  );
}
