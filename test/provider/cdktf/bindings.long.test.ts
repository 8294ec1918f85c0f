import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { createProvider, schemaJson, version } from '@rolecall/provider';
import { writeBindings } from '../../../tools/cdktf/bindings.ts';
import { temporaryFolder } from '../../cli/support/temporary-folder.ts';
import { type Loaded, loadEditions } from './support/edition.ts';

describe('the bindings for CDKTF', () => {
  let editions: Loaded[];
  before(async () => {
    editions = await loadEditions();
  });

  it("are written from the provider's schema, and again only where that changed", () => {
    using folder = temporaryFolder();
    const index = path.join(folder.path, 'index.ts');
    const write = (schema: string) => {
      writeBindings(folder.path, schema);
      return { text: readFileSync(index, 'utf8'), at: statSync(index, { bigint: true }).mtimeNs };
    };
    const schema = JSON.stringify(schemaJson());
    writeFileSync(path.join(folder.path, 'left-over.ts'), '');
    const first = write(schema);
    assert.match(first.text, /^export \* from '.\/person\/index.ts';$/m);
    assert.deepEqual(
      globSync('**/*.ts', { cwd: folder.path }).length,
      first.text.match(/^export /gm)!.length + 1,
      'the index has every file, and nothing was left over',
    );
    assert.match(readFileSync(path.join(folder.path, 'person/index.ts'), 'utf8'), /protected/);
    assert.deepEqual(write(schema), first);
    write(schema.replaceAll('protected', 'renamed_since'));
    assert.match(readFileSync(path.join(folder.path, 'person/index.ts'), 'utf8'), /renamedSince/);
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
