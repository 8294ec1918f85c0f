import type { Plan, Step } from '@rolecall/reconcile';

/** A step with what a rendering reads of it. */
export function step(effect: Step['effect'], object: string, summary: string, rest: Partial<Step> = {}): Step {
  const [kind = '', name = ''] = object.split('/');
  return {
    id: summary,
    operation: 'lockPerson',
    params: {},
    object: { kind, name },
    summary,
    reason: 'differs from what is declared',
    effect,
    after: [],
    ...rest,
    // No rendering reads the values of a call.
  } as Step;
}

/** A plan with nothing in it but what is given. */
export function planOf(parts: Partial<Plan> = {}): Plan {
  return {
    format: 1,
    createdAt: '2026-11-02T08:30:00.000Z',
    workspace: { url: 'https://workspace.example.com', name: 'team' },
    steps: [],
    observed: [],
    held: [],
    refusals: [],
    notes: [],
    compared: { Person: 2, Role: 1 },
    exact: [],
    rails: { maxRemovalPercent: 25, minimumRemoval: 10 },
    digest: 'digest',
    ...parts,
  };
}

/** One of each kind of change. */
export const variedPlan = planOf({
  steps: [
    step('create', 'Person/ada', 'create ada (Ada Lovelace, ada@team.example)', {
      operation: 'createPerson',
      reason: 'declared, and missing',
    }),
    step('create', 'Role/analysts', 'create the role analysts', {
      operation: 'createRole',
      reason: 'declared, and missing',
    }),
    step('grant', 'Role/analysts', 'add ada to analysts', {
      operation: 'addRolePerson',
      reason: 'declared, and missing',
    }),
    step('revoke', 'Role/support', 'remove grace from support', {
      operation: 'removeRolePerson',
      reason: 'in the role, and not declared',
    }),
    step('change', 'DataSource/billing', 'change the data source billing', {
      operation: 'updateDataSource',
      changes: [
        { field: 'host', from: 'old.internal', to: 'new.internal' },
        { field: 'password', from: null, to: 'secret 1a2b3c4d' },
      ],
    }),
    step('change', 'Snippet/totals', 'add a version to the snippet Totals', {
      operation: 'createSnippetVersion',
      changes: [{ field: 'text', from: 'select 1\nfrom a\nwhere b', to: 'select 1\nfrom c\nwhere b' }],
    }),
    step('replace', 'Permission/eve', 'end the grant', { operation: 'deletePermission', reason: 'the window changed' }),
    step('remove', 'Permission/7', 'revoke the grant', { operation: 'deletePermission', reason: 'not declared' }),
  ],
  notes: [{ object: 'Permission/old', message: 'is over, and kept for the record' }],
});

/** Texts that would do something if they were printed as they are, each a title, a colour, a direction, a line. */
export const hostile = 'a\u001b]0;owned\u0007b\u009b31mc\u202ed\u2028e\nf\rg';
