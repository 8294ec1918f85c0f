import { personRouteTable, type Route, routeTable } from '@rolecall/api';
import { Refusal } from '../refusal.ts';
import { metricsPath } from './metrics-page.ts';
import { openPaths } from './probes.ts';

interface KnownPath {
  segments: readonly string[];
  methods: Set<string>;
}

const knownPaths = collectPaths();

/**
 * Refuses a request that no route takes, for its path or only its method.
 *
 * @param url with its query string
 * @param pagePaths where the page is
 */
export function unknownRoute(method: string, url: string, pagePaths: readonly string[]): Refusal {
  const path = url.split('?', 1)[0] ?? '';
  const allowed = pagePaths.includes(path) ? ['GET', 'HEAD'] : allowedOn(path);
  if (allowed.length === 0) return new Refusal('not_found', 'the service has no such path');
  const allow = allowed.join(', ');
  return new Refusal('method_not_allowed', `this path takes ${allow}, not ${method.slice(0, 20)}`, {
    headers: { allow },
  });
}

function allowedOn(path: string): string[] {
  const segments = path.split('/');
  const matching = knownPaths.filter((knownPath) => matches(knownPath.segments, segments));
  return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  );
}

function collectPaths(): KnownPath[] {
  const paths = new Map<string, KnownPath>();
  for (const route of [...Object.values(routeTable), ...Object.values(personRouteTable)]) {
    const { path } = route;
    const knownPath = paths.get(path) ?? { segments: path.split('/'), methods: new Set() };
    for (const method of methodsOf(route)) knownPath.methods.add(method);
    paths.set(path, knownPath);
  }
  for (const path of [...openPaths, metricsPath])
    paths.set(path, { segments: path.split('/'), methods: new Set(['GET', 'HEAD']) });
  return [...paths.values()];
}

/** The methods that a route takes: HEAD wherever there is GET (RFC 9110, 9.3.2). */
export function methodsOf({ method, alsoMethod }: Pick<Route, 'method' | 'alsoMethod'>): string[] {
  const methods = alsoMethod === undefined ? [method] : [method, alsoMethod];
  return method === 'GET' ? [...methods, 'HEAD'] : methods;
}
