import { useSignal } from '@preact/signals';

interface ConfirmButtonProps {
  /** The text of the button. */
  readonly label: string;
  /** Its effect, as a question. */
  readonly question: string;
  readonly disabled?: boolean;
  readonly confirm: () => void;
}

/** A button for what cannot be undone: it asks before it does it. */
export function ConfirmButton({ label, question, disabled = false, confirm }: ConfirmButtonProps) {
  const isAsking = useSignal(false);
  if (!isAsking.value) {
    return (
      <button type="button" disabled={disabled} onClick={() => (isAsking.value = true)}>
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
        disabled={disabled}
        ref={(button) => button?.focus()}
        onClick={() => {
          isAsking.value = false;
          confirm();
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
