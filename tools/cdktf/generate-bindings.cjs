/**
 * Writes the bindings that the generator of CDKTF makes of a provider's schema. A process of its own, because the
 * generator looks for terraform when it is loaded, and must neither find it nor call home.
 *
 * node generate-bindings.cjs CONSTRAINT FOLDER < schema.json
 */
const { readFileSync } = require('node:fs');
const { CodeMaker } = require('codemaker');
const { ConstructsMakerProviderTarget, Language, TerraformProviderConstraint } = require('@cdktf/commons');
// Its index wants the compiler of jsii, which only bindings for other languages need.
const { TerraformProviderGenerator } = require('@cdktf/provider-generator/lib/get/generator/provider-generator');

const [constraint, folder] = process.argv.slice(2);
const code = new CodeMaker({ indentationLevel: 2 });
const target = new ConstructsMakerProviderTarget(new TerraformProviderConstraint(constraint), Language.TYPESCRIPT);
new TerraformProviderGenerator(code, JSON.parse(readFileSync(0, 'utf8'))).generate(target);
code.save(folder).catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
