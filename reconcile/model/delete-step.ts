import { type Step, stepId } from './step.ts';

const calls = {
  DataSource: ['deleteDataSource', 'dataSource'],
  Role: ['deleteRole', 'role'],
  Snippet: ['deleteSnippet', 'snippet'],
} as const;

/**
 * The call that deletes what has no fallout to be looked at: people and permissions have calls of their own.
 *
 * @param target its kind, its id on the server, and its name there, for whoever reads the plan
 */
export function deleteStep(
  { kind, id, name }: { kind: keyof typeof calls; id: string; name: string },
  object: Step['object'],
  reason: string,
): Step {
  const [operation, parameter] = calls[kind];
  return {
    id: stepId(operation, id),
    operation,
    params: { [parameter]: id },
    object,
    summary: `delete ${name}`,
    reason,
    effect: 'remove',
    after: [],
  };
}
