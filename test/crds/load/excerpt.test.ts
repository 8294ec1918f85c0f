import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { excerptAt } from '@rolecall/crds';

/** The line and its mark, as the command line prints them. */
function shown(text: string, line: number, column: number): string {
  const excerpt = excerptAt(text.split('\n'), line, column);
  return excerpt === undefined ? '' : `${excerpt.text}\n${' '.repeat(excerpt.indent)}${'^'.repeat(excerpt.width)}`;
}

describe('the excerpt of a problem', () => {
  it('marks the word at the place', () => {
    assert.equal(shown('spec:\n  locked: yes # so', 2, 11), '  locked: yes # so\n          ^^^');
    assert.equal(shown('  "a b": x', 1, 3), '  "a b": x\n  ^^^^^');
    assert.equal(shown('a: [', 1, 4), 'a: [\n   ^');
  });

  it('shows tabs as blanks, and keeps the mark below its place after wide characters and marks of combination', () => {
    assert.equal(shown('\tname: x', 1, 2), '    name: x\n    ^^^^');
    assert.equal(shown('日本: x', 1, 5), '日本: x\n      ^');
    assert.equal(shown('e\u0301: x', 1, 5), 'e\u0301: x\n   ^');
    assert.equal(shown('😀: x', 1, 5), '😀: x\n    ^');
  });

  it('shows control characters and never prints them', () => {
    assert.equal(shown('a\u001b[31m: x', 1, 9), 'a\\u{1b}[31m: x\n             ^');
    assert.equal(shown('a: \u202ex', 1, 4), 'a: \\u{202e}x\n   ^^^^^^^^^');
    assert.equal(shown('a: x\r', 1, 4), 'a: x\n   ^');
  });

  it('cuts a long line around the place', () => {
    const [text = '', mark = ''] = shown(`${'x'.repeat(300)}: here ${'y'.repeat(300)}`, 1, 303).split('\n');
    assert.ok(text.length <= 102, `${text.length} columns`);
    assert.equal(text.slice(mark.indexOf('^'), mark.length), 'here');
    assert.match(text, /^….*…$/);
  });

  it('shows nothing of a line as long as its file, of an empty line, or of one that is not there', () => {
    assert.equal(shown('x'.repeat(10_001), 1, 5), '');
    assert.equal(shown('a\n \n', 2, 1), '');
    assert.equal(shown('a', 7, 1), '');
  });

  const secrets: readonly (readonly [name: string, text: string, line: number, column: number])[] = [
    ['a password in a URI', 'uri: postgresql://u:hunter2@db/x', 1, 6],
    ['a password with an @ and a slash in a URI', 'uri: postgresql://u:p@/hunter2@db/x', 1, 6],
    ['a password with a blank in a URI', 'uri: postgresql://u:a hunter2@db/x', 1, 6],
    ['a URI that is cut off', 'uri: postgresql://u:hunter2', 1, 6],
    ['a parameter of a URI', 'uri: postgresql://u@db/x?password=hunter2', 1, 6],
    ['a field password', '  password: hunter2', 1, 3],
    ['a field without a space after its colon', '  password:hunter2', 1, 3],
    ['a field in capitals', '  DB_PASSWORD: hunter2', 1, 3],
    ['a field in quotes', '{"secret": "hunter2", "a": 1}', 1, 25],
    ['what is written after passwordFrom', '  passwordFrom: hunter2', 1, 17],
    ['a field in a mapping in one line', '  x: { password: hunter2 }', 1, 6],
    ['a variable that is the secret itself', '  passwordFrom:\n    env: hunter2', 2, 10],
    ['a value on a line of its own', 'password:\n  hunter2: x', 2, 3],
    ['a value that is not indented', 'password:\nhunter2', 2, 1],
    ['a line of a block', 'password: |\n  abc\n\n  hunter2: x', 4, 3],
    ['a line of a quoted text', 'password: "abc\nhunter2: x"', 2, 1],
    ['SQL', '    create user a identified by "hunter2";', 1, 5],
    ['a token', `  eyJ${'hunter2'.repeat(10)}`, 1, 3],
  ];
  for (const [name, text, line, column] of secrets) {
    it(`hides ${name}`, () => {
      assert.doesNotMatch(shown(text, line, column), /hunter2/);
      assert.match(shown(text, line, column), /\*\*\*/);
    });
  }

  it('shows where a secret comes from', () => {
    const text = '  passwordFrom:\n    env: ACME_PASSWORD\n  passwordFrom: { file: secrets/db.txt }\n';
    assert.match(shown(text, 2, 10), /env: ACME_PASSWORD\n {9}\^{13}/);
    assert.match(shown(text, 3, 19), /secrets\/db\.txt/);
  });

  it('hides a secret once that the mark is under', () => {
    assert.equal(shown('  passwordFrom: hunter2', 1, 17), '  passwordFrom: ***\n                ^^^');
    assert.match(shown('{"passwordFrom":{"env":"DB_PASSWORD"}}', 1, 17), /"DB_PASSWORD"/);
  });

  it('keeps the mark below its place after what it hides', () => {
    assert.equal(
      shown('uri: postgresql://u:hunter2@db x', 1, 32),
      'uri: postgresql://u:***@db x\n                           ^',
    );
  });
});
