import type { SecretSource } from './desired.ts';
import type { Plan } from './plan.ts';
import { isSecretUri, type Step } from './step.ts';

/** The secrets that the steps of a plan need, with the object that needs each. */
export function secretSourcesOf({ steps }: Pick<Plan, 'steps'>): { source: SecretSource; object: Step['object'] }[] {
  return steps.flatMap(({ body = {}, object }) =>
    Object.values(body).flatMap((value) =>
      isSecretUri(value) && value.password !== null ? [{ source: value.password, object }] : [],
    ),
  );
}

/** The same plan with each of its secrets looked for elsewhere: paths of files depend on who reads them. */
export function mapSecretSources(plan: Plan, map: (source: SecretSource) => SecretSource): Plan {
  const mapStep = (step: Step): Step => {
    if (step.body === undefined) return step;
    const body = Object.entries(step.body).map(([name, value]) => [
      name,
      isSecretUri(value) && value.password !== null ? { ...value, password: map(value.password) } : value,
    ]);
    return { ...step, body: Object.fromEntries(body) as NonNullable<Step['body']> };
  };
  return {
    ...plan,
    steps: plan.steps.map(mapStep),
    observed: plan.observed.map(mapStep),
    held: plan.held.map(mapStep),
  };
}
