import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { createProvider, version } from '@rolecall/provider';
import { generatedFiles } from '../../../tools/cdktf/bindings.ts';
import { root } from '../../cli/support/run-command.ts';
import { type Loaded, loadEditions } from './support/edition.ts';

describe('the bindings for CDKTF', () => {
  let editions: Loaded[];
  before(async () => {
    editions = await loadEditions();
  });

  it("are what CDKTF's generator writes from the provider's schema", () => {
    const generated = generatedFiles();
    const committed = globSync('provider/cdktf/bindings/**/*.ts', { cwd: root });
    assert.deepEqual(committed.toSorted(), [...generated.keys()].map((name) => path.normalize(name)).toSorted());
    for (const [name, text] of generated) assert.equal(readFileSync(path.join(root, name), 'utf8'), text, name);
  });

  it('have a class for every resource and data source, with every attribute', () => {
    const { resources, dataSources, schema } = createProvider({}, version);
    const wanted = [
      ...resources.map((each) => ({ ...each, name: pascal(each.type.replace('rolecall_', '')) })),
      ...dataSources.map((each) => ({ ...each, name: pascal(`data_${each.type}`) })),
      { type: 'rolecall', name: 'RolecallProvider', schema },
    ];
    for (const { rolecall } of editions) {
      for (const each of wanted) {
        const found = rolecall[each.name as keyof typeof rolecall] as { tfResourceType?: string; prototype: object };
        assert.equal(found.tfResourceType, each.type);
        for (const name of Object.keys(each.schema.attributes)) {
          assert.ok(camel(name) in found.prototype, `${each.name}.${camel(name)}`);
        }
      }
    }
  });

  it('come from one source for both libraries', () => {
    const [cdktf, cdktn] = editions;
    assert.deepEqual(Object.keys(cdktf!.rolecall), Object.keys(cdktn!.rolecall));
    assert.notEqual(cdktf!.library.TerraformResource, cdktn!.library.TerraformResource);
    for (const { rolecall, library } of editions) {
      assert.ok(rolecall.Person.prototype instanceof library.TerraformResource);
    }
  });
});

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function pascal(name: string): string {
  return camel(`_${name}`);
}
