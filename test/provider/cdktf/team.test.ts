import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { TeamProps } from '@rolecall/cdktf';
import { editions } from '../../../tools/cdktf/editions.ts';
import { type Loaded, loadEdition } from './support/edition.ts';
import { newStack, resourcesOf, synth } from './support/synth.ts';

const members = { ada: { name: 'Ada Lovelace', email: 'ada@example.com' } };

for (const edition of editions) {
  describe(`Team for ${edition.library}`, () => {
    let loaded: Loaded;
    before(async () => {
      loaded = await loadEdition(edition);
    });

    const team = (props: TeamProps) => synth(loaded, (stack) => new loaded.rolecall.Team(stack, 'analysts', props));

    const token = (expression: string) => loaded.library.Token.asString({ resolve: () => expression });

    it('makes a role, its people, and exactly their memberships', () => {
      const { text } = team({ people: members, members: ['grace'], dataSources: ['billing'], protected: true });
      const { Testing } = loaded.library;
      assert.ok(Testing.toHaveResourceWithProperties(text, 'rolecall_role', { name: 'analysts', protected: true }));
      assert.ok(Testing.toHaveResourceWithProperties(text, 'rolecall_person', { username: 'ada', ...members.ada }));
      assert.ok(Testing.toHaveDataSourceWithProperties(text, 'rolecall_person', { username: 'grace' }));
      const configuration = JSON.parse(text) as Record<string, Record<string, Record<string, Record<string, unknown>>>>;
      const [list] = Object.values(configuration['resource']!['rolecall_role_people']!);
      assert.deepEqual(
        (list!['person_ids'] as string[]).map((id) => id.replace(/_[0-9A-F]{8}\./, '.')),
        ['${rolecall_person.analysts_person_ada.id}', '${data.rolecall_person.analysts_lookup_person_grace.id}'],
      );
      assert.ok(Testing.toHaveResource(text, 'rolecall_role_data_sources'));
    });

    it('adds its members and leaves others alone where it is not exact', () => {
      const { text } = team({ people: members, members: ['grace'], dataSources: ['billing'], exact: false });
      const { Testing } = loaded.library;
      assert.ok(Testing.toHaveResource(text, 'rolecall_role_person'));
      assert.ok(Testing.toHaveResource(text, 'rolecall_role_data_source'));
      assert.ok(!Testing.toHaveResource(text, 'rolecall_role_people'));
      assert.ok(!Testing.toHaveResource(text, 'rolecall_role_data_sources'));
    });

    it('forgets the memberships of the other way when it becomes exact, or is no longer', () => {
      const both = [true, false].map(
        (exact) => team({ people: members, dataSources: ['billing'], exact }).configuration,
      );
      for (const [now, other] of [both, both.toReversed()]) {
        const addresses = [...resourcesOf(other!).keys()].filter((each) =>
          /role_(people|person|data_source)/.test(each),
        );
        assert.equal(addresses.length, 2);
        const removed = (now!.removed ?? []).map(({ from }) => from);
        assert.deepEqual(removed.toSorted(), addresses.toSorted());
      }
    });

    it('keeps the addresses of memberships whatever else is in its lists', () => {
      const few = team({ members: ['grace'], dataSources: ['billing'], exact: false }).configuration;
      const more = team({
        people: members,
        members: ['alan', 'grace'],
        dataSources: ['reports', 'billing'],
        exact: false,
      });
      for (const [address, attributes] of resourcesOf(few)) {
        assert.deepEqual(resourcesOf(more.configuration).get(address), attributes, address);
      }
    });

    it('takes constructs as members, and gives those it made', () => {
      const stack = newStack(loaded);
      const grace = new loaded.rolecall.Person(stack, 'grace', {
        username: 'grace',
        name: 'Grace',
        email: 'g@example.com',
      });
      const billing = new loaded.rolecall.DataRolecallDataSource(stack, 'billing', { alias: 'billing' });
      const made = new loaded.rolecall.Team(stack, 'team', {
        people: members,
        members: [grace],
        dataSources: [billing],
      });
      assert.ok(made.person('ada') instanceof loaded.rolecall.Person);
      assert.throws(
        () => made.person('adaa'),
        /Team access\/team: person names no person of the team: adaa\. Did you mean ada\?/,
      );
      const text = loaded.library.Testing.synth(stack);
      assert.match(text, /"\$\{rolecall_person\.grace\.id\}"/);
      assert.match(text, /"\$\{data\.rolecall_data_source\.billing\.id\}"/);
    });

    it('lets names and addresses be tokens, and says which property must not be one', () => {
      const name = token('${var.name}');
      team({ name, people: { ada: { name, email: name } }, members: [{ id: name }] });
      const list = loaded.library.Token.asList({ resolve: () => '${var.people}' });
      const cases: [TeamProps, string, string][] = [
        [{ people: { [name]: members.ada } }, 'people (key 1)', '${var.name}'],
        [{ members: ['grace', name] }, 'members[1]', '${var.name}'],
        [{ members: list }, 'members', '${var.people}'],
        [{ dataSources: [name] }, 'dataSources[0]', '${var.name}'],
        [{ members: [{ id: name }], exact: false }, 'members[0].id', '${var.name}'],
      ];
      for (const [props, property, expression] of cases) {
        assert.throws(
          () => team(props),
          (error: { code: string; property: string; expression: string; message: string }) => {
            const { code } = error;
            assert.deepEqual([code, error.property, error.expression], ['ERR_ROLECALL_TOKEN', property, expression]);
            return error.message.startsWith(
              `Team access/analysts: ${property} is ${expression}, which only Terraform knows`,
            );
          },
        );
      }
    });

    it('refuses who is named twice, an empty name, and what has no id', () => {
      assert.throws(
        () => team({ people: members, members: ['ada'] }),
        /members names ada twice\. Remove one of the two\./,
      );
      assert.throws(() => team({ members: [''] }), /members\[0\] is empty\. Pass the username/);
      assert.throws(() => team({ dataSources: [{ id: '' }] }), /dataSources\[0\] has no id\. Pass a construct/);
    });
  });
}
