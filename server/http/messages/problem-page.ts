import { problems } from '@rolecall/api';
import type { FastifyRequest } from 'fastify';
import type { Refusal } from '../../refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if providers and links lead browsers to the route, so that a person sees its answer. */
    isVisited?: boolean;
  }
}

/** True if the answer is shown to a person: a browser went to an address, where no operation answers in JSON alone. */
export function isVisit({ method, headers, is404, routeOptions }: FastifyRequest): boolean {
  const isShown = is404 || routeOptions.config.isVisited === true;
  return isShown && (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true;
}

/** A problem in words. */
export function problemPage({ code, message }: Refusal): string {
  const isNothing = code === 'not_found' || code === 'malformed_parameter';
  const title = isNothing ? 'There is nothing at this address' : problems[code].title;
  const why = isNothing ? 'It may be incomplete or mistyped.' : `${escape(message)}.`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<main>
<h1>${title}</h1>
<p>${why}</p>
<p><a href="/">Go to Rolecall</a></p>
</main>
</html>
`;
}

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
