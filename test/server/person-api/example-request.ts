import type { PersonRoute } from '@rolecall/api';
import { personOpenApiDocument } from '@rolecall/api/openapi';

const document = personOpenApiDocument();

/** A request that nothing but the rule could refuse: the example of the document, with what the path names. */
export function exampleRequest(route: PersonRoute, named: Readonly<Record<string, string>>) {
  const item = document.paths[route.path.replace(/:([A-Za-z]+)/g, '{$1}')];
  const operation = item?.[route.method.toLowerCase()];
  const path = route.path.replace('/person/v1', '').replace(/:([A-Za-z]+)/g, (_all, name: string) => {
    const parameter = operation?.parameters?.find((one) => one.in === 'path' && one.name === name);
    return encodeURIComponent(named[name] ?? String(parameter?.example));
  });
  const query = (operation?.parameters ?? []).filter((one) => one.in === 'query' && one.required);
  const search = new URLSearchParams(query.map(({ name, example }) => [name, String(example)])).toString();
  const content = operation?.requestBody?.content['application/json'];
  return {
    path: search === '' ? path : `${path}?${search}`,
    ...(content === undefined ? {} : { json: content.example }),
  };
}
