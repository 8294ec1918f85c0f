import { type IResolvable, type TerraformProvider, Token } from 'cdktf';
import { Construct } from 'constructs';
import { Person, Role, RoleDataSource, RoleDataSources, RolePeople, RolePerson } from './bindings/index.ts';
import { PropertyError } from './errors.ts';
import { Forgotten } from './forgotten.ts';
import { needKnown, needText } from './known.ts';
import { escapeId, idOf, type Reference } from './lookup.ts';
import { unknownName } from './unknown-name.ts';

/** A person whom the team creates. */
export interface TeamPerson {
  /** The full name. */
  readonly name: string;
  readonly email: string;
  /** True if the person is kept out of the workspace. Default: false. */
  readonly locked?: boolean | IResolvable;
  /** Refuses every plan that deletes the person. */
  readonly protected?: boolean | IResolvable;
}

export interface TeamProps {
  /** The name of the role in the workspace. Default: the id of the construct. */
  readonly name?: string;
  /** People who are made with the team, by username. */
  readonly people?: Readonly<Record<string, TeamPerson>>;
  /** People who are there without it: constructs, or usernames, which are looked up. */
  readonly members?: readonly Reference[];
  /** The data sources that the team reaches: constructs, or aliases, which are looked up. */
  readonly dataSources?: readonly Reference[];
  /**
   * True if these are all people and data sources of the role: others are removed from it (the plan names them).
   * False adds these and leaves others alone. Default: true.
   */
  readonly exact?: boolean;
  /** Refuses every plan that deletes the role. */
  readonly protected?: boolean | IResolvable;
  /** Default: the provider without alias. */
  readonly provider?: TerraformProvider;
}

/** A member, and the name of its membership among the constructs of the team. */
interface Member {
  /** None where only Terraform knows it. */
  readonly key: string | undefined;
  readonly id: string;
}

/** A role with its people and the data sources that they reach. The team creates some of the people. */
export class Team extends Construct {
  readonly role: Role;
  readonly #people: ReadonlyMap<string, Person>;

  /** @throws PropertyError, UnresolvedTokenError for a username, alias or list that is not known at synthesis */
  constructor(scope: Construct, id: string, props: TeamProps) {
    super(scope, id);
    const { name = id, provider, exact = true } = props;
    needKnown(this, 'exact', exact, 'Pass true or false.');
    this.#people = makePeople(this, props);
    this.role = new Role(this, 'role', { name, protected: props.protected, provider });
    const made = [...this.#people].map(([username, { id: personId }]) => ({ key: escapeId(username), id: personId }));
    const people = [...made, ...membersOf(this, 'person', 'members', props)];
    const dataSources = membersOf(this, 'data_source', 'dataSources', props);
    refuseRepeated(this, 'members', people);
    refuseRepeated(this, 'dataSources', dataSources);
    if (exact) addExactly(this, people, dataSources, provider);
    else addEach(this, people, dataSources, provider);
  }

  /** A person whom the team created, by username. */
  person(username: string): Person {
    const person = this.#people.get(username);
    if (person !== undefined) return person;
    throw unknownName(this, 'person', `person of the team: ${username}`, username, [...this.#people.keys()]);
  }
}

function makePeople(team: Team, { people = {}, provider }: TeamProps): Map<string, Person> {
  const remedy = 'Write usernames as plain text; names and e-mail addresses may be tokens.';
  needKnown(team, 'people', people, remedy);
  const made = Object.entries(people).map(([username, person], index) => {
    needText(team, `people (key ${index + 1})`, username, remedy);
    return [username, new Person(team, `person_${escapeId(username)}`, { ...person, username, provider })] as const;
  });
  return new Map(made);
}

function membersOf(
  team: Team,
  kind: 'person' | 'data_source',
  property: 'members' | 'dataSources',
  props: TeamProps,
): Member[] {
  const { [property]: references = [], provider } = props;
  needKnown(team, property, references, 'Pass a list that is written out; its elements may be constructs.');
  return references.map((reference, index) => {
    const where = `${property}[${index}]`;
    return {
      id: idOf({ scope: team, provider }, kind, where, reference),
      key: keyOf(team, where, reference, props.exact ?? true),
    };
  });
}

/** The name of a membership. It must not depend on the place in the list. */
function keyOf(team: Team, property: string, reference: Reference, exact: boolean): string | undefined {
  if (typeof reference === 'string') return escapeId(reference);
  if (Construct.isConstruct(reference)) return `${reference.node.id}_${reference.node.addr.slice(-8)}`;
  if (!exact) needKnown(team, `${property}.id`, reference.id, 'Pass the construct, or let the team be exact.');
  return Token.isUnresolved(reference.id) ? undefined : escapeId(reference.id);
}

function refuseRepeated(team: Team, property: string, members: readonly Member[]): void {
  const seen = new Set<string>();
  for (const { key } of members) {
    if (key === undefined) continue;
    if (seen.has(key)) throw new PropertyError(team, property, `names ${key} twice`, 'Remove one of the two.');
    seen.add(key);
  }
}

/** The other way to keep members is forgotten, not undone: otherwise a change from one to the other would remove them. */
function addExactly(
  team: Team,
  people: readonly Member[],
  dataSources: readonly Member[],
  provider: TerraformProvider | undefined,
): void {
  const roleId = team.role.id;
  new RolePeople(team, 'people', { roleId, personIds: people.map(({ id }) => id), provider });
  new RoleDataSources(team, 'data_sources', { roleId, dataSourceIds: dataSources.map(({ id }) => id), provider });
  for (const key of keysOf(people)) new Forgotten(team, `has_person_${key}`, RolePerson.tfResourceType);
  for (const key of keysOf(dataSources)) new Forgotten(team, `has_data_source_${key}`, RoleDataSource.tfResourceType);
}

function addEach(
  team: Team,
  people: readonly Member[],
  dataSources: readonly Member[],
  provider: TerraformProvider | undefined,
): void {
  const roleId = team.role.id;
  new Forgotten(team, 'people', RolePeople.tfResourceType);
  new Forgotten(team, 'data_sources', RoleDataSources.tfResourceType);
  for (const { key = '', id } of people) new RolePerson(team, `has_person_${key}`, { roleId, personId: id, provider });
  for (const { key = '', id } of dataSources) {
    new RoleDataSource(team, `has_data_source_${key}`, { roleId, dataSourceId: id, provider });
  }
}

const keysOf = (members: readonly Member[]): string[] => members.flatMap(({ key }) => key ?? []);
