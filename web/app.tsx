import { viewStyle } from 'virtual:styles';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { lazy } from './browser/lazy.tsx';
import { Failure } from './parts/failure.tsx';
import { path } from './router.ts';
import { loadSession, me } from './session.ts';
import { SignIn } from './views/sign-in/sign-in.tsx';

const Enrol = lazy(async () => (await import('./views/enrol.tsx')).Enrol);
const Shell = lazy(async () => {
  const [{ Shell: shell }] = await Promise.all([import('./shell.tsx'), loadViewStyle()]);
  return shell;
});

/** The page: it shows a view, or the sign-in if no one is signed in. */
export function App() {
  const failure = useSignal<Error | undefined>(undefined);
  const load = () => {
    failure.value = undefined;
    loadSession().catch((error: unknown) => {
      failure.value = error instanceof Error ? error : new Error(String(error));
    });
  };
  useEffect(load, []);
  const person = me.value;
  if (failure.value !== undefined) return <Plain>{<Failure error={failure.value} retry={load} />}</Plain>;
  if (person === undefined) return <Plain>{<p class="quiet">One moment…</p>}</Plain>;
  if (path.value === '/enrol') return <Plain>{<Enrol />}</Plain>;
  if (person?.state !== 'whole') return <Plain>{<SignIn />}</Plain>;
  // What one person sees is gone when another one signs in in this browser.
  return <Shell key={person.person.id} />;
}

function Plain({ children }: { readonly children: ComponentChildren }) {
  return <main class="plain">{children}</main>;
}

/** Loads the style sheet of the views, which the sign-in does without. @throws Error if it does not come */
function loadViewStyle(): Promise<void> {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = viewStyle;
  return new Promise((resolve, reject) => {
    link.onload = () => {
      resolve();
    };
    link.onerror = () => {
      link.remove();
      reject(new Error('The style of the page did not come.'));
    };
    document.head.append(link);
  });
}
