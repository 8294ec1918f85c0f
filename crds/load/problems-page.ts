import { problemCodes } from './problem-codes.ts';

/** Writes the documentation of all problems, in Markdown. */
export function problemsPage(): string {
  const sections = Object.entries(problemCodes).map(
    ([code, { title, meaning, remedy }]) => `## ${code}\n\n**${title}.** ${meaning}\n\nRemedy: ${remedy}\n`,
  );
  return `${introduction}\n${sections.join('\n')}`;
}

const introduction = `<!-- Made from crds/load/problem-codes.ts by \`npm run generate\`; do not edit. -->

# Problems with definitions

\`rolecall validate\`, \`plan\` and \`apply\` check all definitions before anything else and report every problem, each with its
file, line, column and field, what is wrong, and what to do about it. The code at its end is one of these. An error
keeps the definitions from being applied; a warning does not.
`;
