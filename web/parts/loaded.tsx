import type { ComponentChildren } from 'preact';
import type { Loaded } from '../resource.ts';
import { Failure } from './failure.tsx';

interface ShowLoadedProps<T> {
  readonly loaded: Loaded<T>;
  readonly reload: () => void;
  readonly show: (value: T) => ComponentChildren;
}

/** Shows the loaded value, or that it is loading, or why it could not be loaded. */
export function ShowLoaded<T>({ loaded, reload, show }: ShowLoadedProps<T>) {
  if (loaded === undefined) return <p class="quiet">One moment…</p>;
  if ('error' in loaded) return <Failure error={loaded.error} retry={reload} />;
  return <>{show(loaded.value)}</>;
}
