import { computed, signal } from '@preact/signals';
import { type Path, paths } from './paths.ts';

/** The path of the view that is shown. */
export const path = signal(location.pathname);

interface Route {
  readonly pattern: Path;
  /** Parameters of the address: of `/editor/:editor`, the editor. */
  readonly params: Readonly<Record<string, string>>;
}

/** The view that is shown. */
export const route = computed((): Route => {
  for (const pattern of paths) {
    const params = match(pattern, path.value);
    if (params !== undefined) return { pattern, params };
  }
  return { pattern: '/', params: {} };
});

addEventListener('popstate', () => {
  path.value = location.pathname;
});

/** Follows links of the page without loading it again. */
addEventListener('click', (event) => {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!isPlain || event.defaultPrevented || link === null || link.origin !== location.origin) return;
  if (link.target !== '' || link.hasAttribute('download')) return;
  event.preventDefault();
  navigate(link.pathname + link.search);
});

/** Shows another view, at an address of its own. @param how `replace` keeps the view before out of the history */
export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', to);
  else history.replaceState(null, '', to);
  path.value = new URL(to, location.origin).pathname;
  scrollTo(0, 0);
}

/** Returns the parameters that a path gives to a pattern; undefined if it does not match. */
function match(pattern: string, place: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/');
  const given = place.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return params;
}
