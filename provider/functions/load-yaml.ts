import { Readable } from 'node:stream';
import { type Definition, formatProblem, hasErrors, loadDefinitions } from '@rolecall/crds';
import { FunctionError } from '../framework/provider.ts';

/**
 * Reads definitions in YAML.
 *
 * @throws FunctionError with every error, its line and its remedy
 */
export async function loadYaml(text: string): Promise<readonly Definition[]> {
  const { definitions, problems } = await loadDefinitions(['-'], { stdin: Readable.from([text]) });
  if (!hasErrors(problems)) return definitions;
  const lines = problems.filter(({ severity }) => severity === 'error').map(formatProblem);
  throw new FunctionError(`the definitions have errors:\n${lines.join('\n')}`, 0);
}
