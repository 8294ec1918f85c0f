import type { Refusal } from '@rolecall/reconcile';

/** What to do about rails that the engine says to override by name: a cluster has no command line to do that on. */
const inCluster: Partial<Record<Refusal['rail'], string>> = {
  'removal-share':
    'check that all definitions were given; if the removal is meant, raise spec.rails.maxRemovalPercent of the Workspace until it is done',
  'last-member': 'put somebody else into the role first, or take the annotation rolecall.dev/protected from it',
};

/** The remedy of a refusal, for whoever looks at objects in a cluster. */
export function remedyOf({ rail, remedy }: Pick<Refusal, 'rail' | 'remedy'>): string {
  return inCluster[rail] ?? remedy;
}
