import { openApiDocument } from './openapi/index.ts';
import { problemBody } from './problem.ts';
import { type ProblemCode, problemCodes, problems } from './problems.ts';
import { problemsOf } from './route.ts';
import { operationIds, routeTable } from './routes.ts';

/** The files generated from the wire contract: content by path from the repository's root. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['api/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`],
    ['docs/errors.md', errorsPage()],
  ]);
}

/** Writes docs/errors.md from the registry of problems. */
function errorsPage(): string {
  const groups = Map.groupBy(problemCodes, (code) => problems[code].status);
  const sections = [...groups].sort(([a], [b]) => a - b).flatMap(([, codes]) => codes.map(section));
  return `${[introduction, ...sections].join('\n\n')}\n`;
}

const example = problemBody('username_taken', 'another person has the username ada', {
  errors: [{ path: 'username', message: 'is taken' }],
  requestId: 'req-1f',
});

const introduction = `<!-- Generated from api/problems.ts by \`npm run generate\`. -->

# Errors of the workspace service

Every error is a problem (RFC 9457) with the media type \`application/problem+json\`:

\`\`\`json
${JSON.stringify(example, null, 2)}
\`\`\`

\`code\` is stable: branch on it. \`detail\` is for people, \`errors\` lists the invalid fields, and \`requestId\` finds the request
in the service's log. A browser that goes to an address at which no operation answers gets a page in words instead.`;

function section(code: ProblemCode): string {
  const { status, title, meaning, remedy } = problems[code];
  return [
    `## \`${code}\``,
    `**${status}** ${title}. ${meaning}`,
    `What to do: ${remedy}`,
    `Returned by ${usersOf(code)}.`,
  ].join('\n\n');
}

function usersOf(code: ProblemCode): string {
  const users = operationIds.filter((id) => problemsOf(routeTable[id]).includes(code));
  if (users.length === operationIds.length) return 'every operation';
  if (users.length <= 10) return users.map((id) => `\`${id}\``).join(', ');
  return `${users.length} of the ${operationIds.length} operations (openapi.json lists them)`;
}
