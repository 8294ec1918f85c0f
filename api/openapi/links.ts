import type { Operation as Described } from '../route.ts';

/** Leads from an answer to an operation that takes something of it. */
export interface Link {
  operationId: string;
  description: string;
  parameters: Record<string, string>;
}

/**
 * The links from the operation that creates an object to those that take the object's identifier in their path, and nothing else that
 * the request did not have.
 */
export function linksOf(
  route: Described & { readonly creates?: true },
  routes: readonly Described[],
): Record<string, Link> {
  if (route.creates === undefined) return {};
  const fields = 'shape' in route.answer ? Object.keys(route.answer.shape as object) : [];
  const given = Object.keys(route.params.shape);
  const targets = routes.flatMap((target): [string, Link][] => {
    const created = Object.keys(target.params.shape).filter((name) => !given.includes(name));
    const [name, ...others] = created;
    if (name === undefined || others.length > 0) return [];
    const field = fields.includes(`${name}Id`) ? `${name}Id` : namesCreated(name, route.path) ? 'id' : undefined;
    if (field === undefined) return [];
    const { operationId, summary } = target;
    const ids = given.filter((key) => key in target.params.shape).map((key) => [`path.${key}`, `$request.path.${key}`]);
    const parameters = Object.fromEntries([...ids, [`path.${name}`, `$response.body#/${field}`]]) as Link['parameters'];
    return [[operationId, { operationId, description: `${summary}.`, parameters }]];
  });
  return Object.fromEntries(targets);
}

/**
 * True if a path parameter has the name of what a path creates, which is the last of its words that no identifier follows: `permission`
 * of `/permission/person/:person`, `snippetVersion` of `/snippet/:snippet/version`.
 */
function namesCreated(name: string, path: string): boolean {
  const word = path
    .match(/\/[a-z-]+(?!\/:|[a-z-])/g)
    ?.at(-1)
    ?.replaceAll(/[/-]/g, '');
  const parameter = name.toLowerCase();
  return word !== undefined && (parameter.endsWith(word) || parameter === `${word}id`);
}
