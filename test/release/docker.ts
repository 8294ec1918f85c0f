import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../cli/support/run-command.ts';

/** What a Dockerfile says, instruction by instruction, without the flags of the builder. */
export function readDockerfile(): { instruction: string; rest: string }[] {
  const lines = readFileSync(path.join(root, 'Dockerfile'), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [, instruction, rest] = /^([A-Z]+) (?:--mount=\S+ )*(.*)$/.exec(line) ?? [];
    return instruction === undefined || rest === undefined ? [] : [{ instruction, rest }];
  });
}
