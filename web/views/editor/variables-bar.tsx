import { useEffect, useRef } from 'preact/hooks';
import type { Workbench } from './workbench.ts';

interface VariablesBarProps {
  readonly bench: Workbench;
  /** Runs the statement at the cursor with the values as they are. */
  readonly run: () => void;
}

/** Asks for what a statement takes from outside. An empty field that was never filled is NULL. */
export function VariablesBar({ bench, run }: VariablesBarProps) {
  const first = useRef<HTMLInputElement>(null);
  const variables = bench.variables.value;
  const names = variables.map(({ name }) => name).join(' ');
  useEffect(() => {
    if (variables.some(({ name }) => bench.values.value.get(name) === null)) first.current?.focus();
  }, [names]);
  if (variables.length === 0) return null;
  const set = (name: string, value: string | null) => {
    bench.values.value = new Map(bench.values.value).set(name, value);
  };
  return (
    <form
      class="variables"
      aria-label="Variables"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      {variables.map(({ name, shown }, index) => {
        const value = bench.values.value.get(name) ?? null;
        return (
          <span class="variable" key={name}>
            <label>
              <code>{shown}</code>
              <input
                ref={index === 0 ? first : null}
                value={value ?? ''}
                placeholder={value === null ? 'NULL' : 'empty text'}
                maxLength={1_000_000}
                autocomplete="off"
                spellcheck={false}
                onInput={(event) => {
                  set(name, event.currentTarget.value);
                }}
              />
            </label>
            <button
              type="button"
              aria-label={`Set ${shown} to NULL`}
              disabled={value === null}
              onClick={() => {
                set(name, null);
              }}
            >
              NULL
            </button>
          </span>
        );
      })}
      <button type="submit">Run with these</button>
    </form>
  );
}
