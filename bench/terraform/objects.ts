/** One object of the measured configuration, for any manager. */
export interface Described {
  /** Of Rolecall's resources, without `rolecall_`. */
  kind: 'person' | 'role' | 'data_source' | 'permission' | 'role_person';
  index: number;
  attributes: Record<string, string | Reference>;
}

/** The id of another object. */
export interface Reference {
  kind: Described['kind'];
  index: number;
}

/** How many of a thousand objects have each kind; the rest are memberships. */
const shares = { people: 400, roles: 40, dataSources: 10, permissions: 150 };

/** Objects of all kinds; permissions and memberships refer to others. */
export function describeObjects(count: number): Described[] {
  const of = (share: number): number => Math.max(1, Math.round((count * share) / 1000));
  const [people, roles, sources] = [of(shares.people), of(shares.roles), of(shares.dataSources)];
  const permissions = of(shares.permissions);
  const memberships = Math.max(0, count - people - roles - sources - permissions);
  return [
    ...times(people, 'person', (index) => ({
      username: `p${index}`,
      name: `Person ${index}`,
      email: `p${index}@example.com`,
    })),
    ...times(roles, 'role', (index) => ({ name: `role-${index}` })),
    ...times(sources, 'data_source', (index) => ({
      name: `Source ${index}`,
      alias: `source-${index}`,
      uri: `postgresql://reader@db-${index}.internal:5432/main`,
    })),
    ...times(permissions, 'permission', (index) => ({
      person_id: { kind: 'person', index: index % people },
      data_source_id: { kind: 'data_source', index: Math.floor(index / people) % sources },
      starts_at: '2026-01-01T00:00:00Z',
      expires_at: '2046-01-01T00:00:00Z',
    })),
    ...times(memberships, 'role_person', (index) => {
      const round = Math.floor(index / roles);
      const person = ((index % roles) * Math.floor(people / roles) + round) % people;
      return { role_id: { kind: 'role', index: index % roles }, person_id: { kind: 'person', index: person } };
    }),
  ];
}

function times(count: number, kind: Described['kind'], make: (index: number) => Described['attributes']): Described[] {
  return Array.from({ length: count }, (_, index) => ({ kind, index, attributes: make(index) }));
}
