import type { Route } from '@rolecall/api';

/** The methods that a route takes: what may be read with GET may be asked about with HEAD (RFC 9110, 9.3.2). */
export function methodsOf({ method, alsoMethod }: Pick<Route, 'method' | 'alsoMethod'>): string[] {
  const methods = alsoMethod === undefined ? [method] : [method, alsoMethod];
  return method === 'GET' ? [...methods, 'HEAD'] : methods;
}
