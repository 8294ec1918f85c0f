import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Something that is read from the service: still on its way, there, or failed. */
export type Loaded<T> = { readonly value: T } | { readonly error: Error } | undefined;

/** Reads something when its view is shown, and again on demand. The last answer stays while the next is on its way. */
export function useResource<T>(read: (signal: AbortSignal) => Promise<T>): {
  readonly loaded: Signal<Loaded<T>>;
  readonly reload: () => void;
} {
  const loaded = useSignal<Loaded<T>>(undefined);
  const turn = useSignal(0);
  useEffect(() => {
    const controller = new AbortController();
    read(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) loaded.value = { value };
      },
      (error: unknown) => {
        if (!controller.signal.aborted)
          loaded.value = { error: error instanceof Error ? error : new Error(String(error)) };
      },
    );
    return () => {
      controller.abort();
    };
  }, [turn.value]);
  return {
    loaded,
    reload: () => {
      turn.value += 1;
    },
  };
}
