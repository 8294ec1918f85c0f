/** Writes docs/api-reference.md from the description of the API, which comes from the route table. */

import { type OpenApiDocument, type Operation, openApiDocument } from '@rolecall/api/openapi';
import { cell, fieldTable, type Schema, typeOf } from './schema-words.ts';

/** Builds the page: its path from the root of the repository, and its text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const document = openApiDocument();
  const operations = operationsOf(document);
  const common = commonProblems(operations.map(({ operation }) => operation));
  const sections = document.tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return [`## ${name}`, ...own.map((each) => describeOperation(each, common))].join('\n\n');
  });
  const types = Object.entries(document.components.schemas).map(([name, schema]) =>
    describeType(name, schema as Schema),
  );
  const page = [introduction(common), ...sections, '## Types', ...types];
  return new Map([['docs/api-reference.md', `${page.join('\n\n')}\n`]]);
}

interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Without the second method that some operations have for the same. */
function operationsOf({ paths }: OpenApiDocument): Placed[] {
  const seen = new Set<string>();
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
    .filter(({ method, path }) => {
      const isNew = !seen.has(`${method} ${path}`);
      seen.add(`${method} ${path}`);
      return isNew;
    });
}

/** The problems that every operation may answer with. */
function commonProblems(operations: readonly Operation[]): ReadonlySet<string> {
  const all = operations.map((operation) => new Set(problemsOf(operation)));
  const [first = new Set<string>(), ...others] = all;
  return new Set([...first].filter((code) => others.every((problems) => problems.has(code))));
}

function problemsOf({ responses }: Operation): string[] {
  return Object.values(responses).flatMap((response) =>
    '$ref' in response ? (response.$ref.split('/').at(-1) ?? '').split('.') : [],
  );
}

const introduction = (
  common: ReadonlySet<string>,
): string => `<!-- Made from the route table in api/ by \`npm run generate\`; do not edit. -->

# API reference

Every operation of the workspace service. The same as OpenAPI 3.1 is [api/openapi.json](../api/openapi.json), which a running
service has at \`/openapi.json\`. [The workspace service](service.md) says how to run it, how keys are made, and what the limits
are.

A request authenticates with HTTP Basic: \`<API_KEY_ID>@api\` as the user, the key's secret as the password. Bodies are JSON or
\`application/x-www-form-urlencoded\`, answers are JSON.

\`\`\`sh
curl --user "$ROLECALL_KEY_ID@api:$ROLECALL_KEY_SECRET" "$ROLECALL_URL/api/v2/person"
\`\`\`

An error is a problem (RFC 9457) with a stable \`code\`; [errors](errors.md) explains each. Any operation may answer
${[...common].map((code) => `\`${code}\``).join(', ')}; what else it may answer stands with it.

## The specification

The operations under \`/api/v2\` on data sources, people, roles, permissions, snippets, editors and queries are the HTTP interface of database
query workspaces: 62 operations, their fields, and how a key authenticates. The documentation calls the description of that interface the
specification. Rolecall's service does all of it as described. Rolecall's command line, Terraform provider and operator also work with any other service
that has this interface alone.

The specification leaves open what errors look like, what scopes keys have, and every limit. These operations are ours:

- Editing: \`PATCH /api/v2/person/:person\`, \`PATCH /api/v2/role/:role\`, \`PATCH /api/v2/permission/:permission\`, and
  \`PUT /api/v2/role/:role/person/:person/windows\` for memberships at certain times.
- Plans and runs: \`GET /api/v2/snapshot\`, \`POST /api/v2/snapshot\`, \`GET /api/v2/manager\`, \`PATCH /api/v2/declaration\`, \`GET /api/v2/lease\`, \`POST /api/v2/lease\`,
  \`POST /api/v2/lease/:lease\`, \`DELETE /api/v2/lease/:lease\`.
- People who sign in: \`GET /api/v2/invitation\`, \`POST /api/v2/person/:person/invitation\`, \`GET /api/v2/session\`,
  \`DELETE /api/v2/session/:session\`, \`GET /api/v2/gateway-session\`, \`DELETE /api/v2/gateway-session/:gatewaySession\`.
- \`GET /api/v2/audit\`, and \`POST /api/v2/token-exchange\` for pipelines.

So are everything under \`/person/v1\`, which the page and \`rolecall login\` use, the probes and metrics, problems as answers, JSON where the specification
has forms, and the headers \`ETag\`, \`If-Match\`, \`If-None-Match\`, \`Idempotency-Key\` and \`Rolecall-…\`.`;

function describeOperation({ method, path, operation }: Placed, common: ReadonlySet<string>): string {
  const own = [...new Set(problemsOf(operation))].filter((code) => !common.has(code));
  const answer = contentOf('200' in operation.responses ? operation.responses['200'] : undefined);
  const body = contentOf(operation.requestBody);
  return [
    `### ${operation.summary}`,
    `\`${method} ${path}\` · scope \`${operation['x-required-scope']}\` · \`${operation.operationId}\``,
    ...extra(operation.description),
    ...parametersOf(operation),
    ...(body === undefined ? [] : [`Takes ${typeOf(body.schema)}:`, example(body.example)]),
    ...(answer === undefined ? [] : [`Answers ${typeOf(answer.schema)}:`, example(answer.example)]),
    ...(own.length === 0 ? [] : [`Errors: ${own.map((code) => `\`${code}\``).join(', ')}.`]),
  ].join('\n\n');
}

/** The sentence on the scope stands in the line before already. */
function extra(description: string): string[] {
  const rest = description.replace(/\s*Needs a key with the scope `\w+`\.\s*/, ' ').trim();
  return rest === '' ? [] : [rest];
}

function parametersOf({ parameters = [] }: Operation): string[] {
  if (parameters.length === 0) return [];
  const rows = parameters.map(({ name, in: place, required, description }) => {
    const optional = required ? '' : ' (may be absent)';
    return `| \`${name}\` | ${place} | ${cell(description ?? '')}${optional} |`;
  });
  return [['| parameter | in | what it is |', '| --- | --- | --- |', ...rows].join('\n')];
}

interface Content {
  readonly schema: Schema;
  readonly example: unknown;
}

function contentOf(holder: unknown): Content | undefined {
  const { content } = (holder ?? {}) as { content?: Record<string, Content> };
  return content?.['application/json'];
}

function example(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function describeType(name: string, schema: Schema): string {
  const head = [`### ${name}`, ...(schema.description === undefined ? [] : [schema.description])];
  if (schema.properties === undefined) return [...head, `${typeOf(schema)}.`].join('\n\n');
  return [...head, fieldTable(schema)].join('\n\n');
}
