import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { Failure } from '../parts/failure.tsx';

/**
 * A view whose code is loaded when it is shown first, so that those who only sign in do not wait for an editor.
 *
 * @param load imports the view
 */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const view = signal<ComponentType<Props> | undefined>(undefined);
  const failure = signal<Error | undefined>(undefined);
  let loading: Promise<void> | undefined;
  const begin = () => {
    failure.value = undefined;
    loading ??= load().then(
      (loaded) => {
        view.value = loaded;
      },
      (error: unknown) => {
        loading = undefined;
        failure.value = error instanceof Error ? error : new Error(String(error));
      },
    );
  };
  return function Lazy(props: Props) {
    const View = view.value;
    if (View !== undefined) return <View {...props} />;
    if (failure.value !== undefined) return <Failure error={failure.value} retry={begin} />;
    begin();
    return <p class="quiet">One moment…</p>;
  };
}
