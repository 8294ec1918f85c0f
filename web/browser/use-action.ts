import { useSignal } from '@preact/signals';

/** Something that a button or a form does: one at a time, and its failure is shown beside it. */
export interface Action {
  readonly busy: boolean;
  readonly error: Error | undefined;
  /** Does it, unless it is being done. */
  readonly run: (work: () => Promise<void>) => void;
}

export function useAction(): Action {
  const busy = useSignal(false);
  const error = useSignal<Error | undefined>(undefined);
  return {
    busy: busy.value,
    error: error.value,
    run: (work) => {
      if (busy.value) return;
      busy.value = true;
      error.value = undefined;
      work()
        .catch((cause: unknown) => {
          error.value = cause instanceof Error ? cause : new Error(String(cause));
        })
        .finally(() => {
          busy.value = false;
        });
    },
  };
}
