import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Action } from '../browser/use-action.ts';
import { Failure } from './failure.tsx';

interface FormProps {
  readonly action: Action;
  /** The text of the button. */
  readonly label: string;
  /** @param values of the fields, by their names */
  readonly submit: (values: Readonly<Record<string, string>>) => Promise<void>;
  /** True if it may take the width of the page. */
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

/** A form with one button; the failure of its action is shown above it. */
export function Form({ action, label, submit, isWide = false, children }: FormProps) {
  return (
    <form
      class={isWide ? 'wide' : undefined}
      onSubmit={(event) => {
        event.preventDefault();
        const entries = [...new FormData(event.currentTarget)].flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value] as const] : [],
        );
        action.run(() => submit(Object.fromEntries(entries)));
      }}
    >
      <Failure error={action.error} />
      {children}
      <button class="main" type="submit" disabled={action.busy}>
        {label}
      </button>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly type?: 'text' | 'password';
  readonly autocomplete: string;
  /** Its first value. */
  readonly value?: string;
  readonly inputMode?: 'numeric';
  /** The pattern for the whole text, and the message if it does not match. */
  readonly pattern?: string;
  readonly title?: string;
}

/** A labelled field of a form, which must be filled in. */
export function Field({ label, hint, type = 'text', ...rest }: FieldProps) {
  const id = useId();
  const input = { id, required: true, ...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }), ...rest };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'password' ? (
        <input type="password" {...input} />
      ) : (
        <input type="text" autocapitalize="none" spellcheck={false} {...input} />
      )}
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

interface LongFieldProps extends Pick<FieldProps, 'label' | 'name' | 'value'> {
  readonly required?: boolean;
  /** True if it holds code: then its letters have the same width. */
  readonly isCode?: boolean;
  readonly rows?: number;
}

/** A labelled field for a text of several lines. Typed text stays, even if the page reads the value again meanwhile. */
export function LongField({ label, value = '', isCode = false, required = false, rows = 3, name }: LongFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        required={required}
        rows={rows}
        class={isCode ? 'code-text' : undefined}
        spellcheck={!isCode}
        defaultValue={value}
      />
    </div>
  );
}

interface ChoiceProps extends Pick<FieldProps, 'label' | 'name' | 'value'> {
  /** Values, with their labels. */
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** A labelled field that takes one of several values. */
export function Choice({ label, name, value, options }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {options.map(([choice, text]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
