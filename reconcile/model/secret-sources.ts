import type { SecretSource } from './desired.ts';
import type { Plan } from './plan.ts';
import type { Step } from './step.ts';

/** The secrets that the steps of a plan need, with the object that needs each. */
export function secretSourcesOf({ steps }: Pick<Plan, 'steps'>): { source: SecretSource; object: Step['object'] }[] {
  return steps.flatMap(({ body, object }) => {
    const uri = body?.configUri;
    return typeof uri === 'object' && uri.password !== null ? [{ source: uri.password, object }] : [];
  });
}

/** The same plan with each of its secrets looked for elsewhere: paths of files depend on who reads them. */
export function mapSecretSources(plan: Plan, map: (source: SecretSource) => SecretSource): Plan {
  const mapStep = (step: Step): Step => {
    const uri = step.body?.configUri;
    if (typeof uri !== 'object' || uri.password === null) return step;
    // Only the source of the password is another one.
    return { ...step, body: { ...step.body, configUri: { ...uri, password: map(uri.password) } } } as Step;
  };
  return {
    ...plan,
    steps: plan.steps.map(mapStep),
    observed: plan.observed.map(mapStep),
    held: plan.held.map(mapStep),
  };
}
