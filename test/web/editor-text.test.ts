import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DataSourceType } from '@rolecall/api';
import { faultPlace } from '../../web/editor/fault-place.ts';
import { readPlan } from '../../web/editor/plan.ts';
import { sqlLanguage } from '../../web/editor/sql-language.ts';
import { statementAt, statementsOf } from '../../web/editor/statements.ts';
import { variablesOf } from '../../web/editor/variables.ts';

const texts = (text: string, type: DataSourceType) =>
  statementsOf(text, type).map(({ from, to }) => text.slice(from, to));

describe('the statements of a text', () => {
  it('end at semicolons, but not at those in quotes and comments of the dialect', () => {
    const common = `select ';' as "a;b" /* ; */ -- ;\n; ;; select 2;\n\n`;
    for (const type of ['postgresql', 'mysql', 'mariadb', 'sqlite'] as const) {
      assert.deepEqual(texts(common, type), [`select ';' as "a;b"`, 'select 2'], type);
    }
    assert.deepEqual(texts(`select $a$ ; $b$ ; $a$; select $$;$$`, 'postgresql').length, 2);
    assert.deepEqual(texts(`/* /* ; */ ; */ select 1; select e'\\';'`, 'postgresql'), ['select 1', `select e'\\';'`]);
    assert.deepEqual(texts(`select '\\';'; # ;\nselect \`;\``, 'mysql'), [`select '\\';'`, 'select `;`']);
    assert.deepEqual(texts(`select '\\'; select [a;b]`, 'sqlite'), [`select '\\'`, 'select [a;b]']);
    assert.deepEqual(texts(`select 5--1; select 2`, 'mariadb').length, 2);
    assert.deepEqual(texts(`/*! select 1 */; select 2`, 'mysql').length, 2);
  });

  it('include the bodies of routines', () => {
    const trigger = `create trigger t after insert on a begin
      update b set c = case when 1 then 2 else 3 end; delete from d; end`;
    assert.deepEqual(texts(`${trigger}; select 1`, 'sqlite'), [trigger, 'select 1']);
    const procedure = 'create procedure p() begin if 1 then select 1; end if; while 0 do select 2; end while; end';
    assert.deepEqual(texts(`${procedure}; select 1`, 'mysql'), [procedure, 'select 1']);
    assert.deepEqual(texts('begin; select 1; end', 'postgresql').length, 3);
  });

  it('are chosen by the cursor: around it, before it on its line, else after it', () => {
    const text = 'select 1; \n\n  select 2';
    const statements = statementsOf(text, 'sqlite');
    const at = (position: number) => {
      const found = statementAt(text, statements, position);
      return found && text.slice(found.from, found.to);
    };
    assert.deepEqual(
      [at(0), at(9), at(11), at(15), at(text.length)],
      ['select 1', 'select 1', 'select 2', 'select 2', 'select 2'],
    );
  });

  it('are found in a long text without a quadratic wait, also where a quote is never closed', () => {
    const long = `${`select 'x' -- y\n;`.repeat(20_000)} select '${'a'.repeat(100_000)}`;
    assert.equal(statementsOf(long, 'postgresql').length, 20_001);
    assert.equal(statementsOf('('.repeat(200_000), 'mysql').length, 1);
  });
});

describe('the colours of a text', () => {
  const coloured = (text: string, type: DataSourceType) => {
    const found: string[] = [];
    const { parser } = sqlLanguage(type);
    parser.parse(text).iterate({
      enter: ({ name, from, to }) => {
        if (name !== 'Document') found.push(`${name}: ${text.slice(from, to)}`);
      },
    });
    return found;
  };

  it('are those of the dialect: comments, texts, numbers, words and types', () => {
    const line = ['keyword: select', "string: 'a''b'", 'keyword: as', 'number: 1.5', 'bool: null', 'typeName: text'];
    for (const type of ['postgresql', 'mysql', 'mariadb', 'sqlite'] as const)
      assert.deepEqual(
        coloured(`select 'a''b' as "x y" 1.5 null text z1 -- c`, type).filter((one) => !/"|--/.test(one)),
        line,
      );
    assert.deepEqual(coloured('# select', 'mysql'), ['lineComment: # select']);
    assert.deepEqual(coloured('"a" 5--1', 'mysql'), ['string: "a"', 'number: 5', 'number: 1']);
    assert.deepEqual(coloured(`e'\\';' 1`, 'postgresql'), [`string: e'\\';'`, 'number: 1']);
    assert.deepEqual(coloured(`'\\' 1`, 'sqlite'), [`string: '\\'`, 'number: 1']);
    assert.deepEqual(coloured('$a$ ; $b$ $a$ 1', 'postgresql'), ['string: $a$ ; $b$ $a$', 'number: 1']);
  });

  it('go on over lines, and comments of PostgreSQL nest', () => {
    assert.deepEqual(coloured('/* /* 1\n*/ 2\n*/ 3', 'postgresql').at(-1), 'number: 3');
    assert.deepEqual(coloured('/* /* 1\n*/ 2', 'sqlite').at(-1), 'number: 2');
    assert.deepEqual(
      coloured("'a\nselect' 1", 'sqlite').filter((one) => one.startsWith('keyword')),
      [],
    );
  });
});

describe('the variables of a statement', () => {
  const names = (text: string, type: DataSourceType) => variablesOf(text, type).map(({ name }) => name);

  it('are those of the dialect, once each, and none within texts and comments', () => {
    assert.deepEqual(names(`select $2, $1, $2, '$3', "$4", a$5, $$ $6 $$ -- $7`, 'postgresql'), ['2', '1']);
    assert.deepEqual(names('select ?, ?, "?", `?` # ?', 'mysql'), ['1', '2']);
    assert.deepEqual(names(`select :a, @b, $c, :a, ?, ?7, ':d' /* :e */`, 'sqlite'), ['a', 'b', 'c', '1', '7']);
    assert.deepEqual(names('select a::text, :b, ? from t', 'postgresql'), []);
  });
});

describe('the place of an error', () => {
  const placed = (command: string, message: string) => {
    const place = faultPlace(command, message);
    return place && command.slice(place.from, place.to);
  };

  it('is the word at the position, counted in code points', () => {
    assert.equal(placed("select '🚀🚀', nmae", 'column does not exist (at character 14)'), 'nmae');
    assert.equal(placed('select (', 'syntax error at end of input (at character 9)'), '(');
  });

  it('is what MySQL and SQLite name, where that is at one place only', () => {
    const mysql = "You have an error in your SQL syntax; check the manual near 'form t' at line 2";
    assert.equal(placed('select 1,\n2 form t', mysql), 'form');
    assert.equal(placed('selct 1', 'near "selct": syntax error'), 'selct');
    assert.equal(placed('select a, a', 'no such column: a'), undefined);
    assert.equal(placed('select 1', 'the server closed the connection'), undefined);
  });
});

describe('a plan', () => {
  it('is a tree of steps in each dialect', () => {
    const scan = { 'Node Type': 'Seq Scan', 'Relation Name': 'orders', Alias: 'o', 'Plan Rows': 5, 'Total Cost': 1.2 };
    const join = { 'Node Type': 'Hash Join', 'Join Type': 'Left', 'Plan Rows': 9, 'Total Cost': 3, Plans: [scan] };
    const [first] = readPlan('postgresql', [[JSON.stringify([{ Plan: join }])]]);
    assert.deepEqual([first?.label, first?.children[0]?.label], ['Left Hash Join', 'Seq Scan on orders as o']);
    assert.deepEqual(first?.children[0]?.details, ['5 rows, cost 1.2']);
    const table = { table_name: 'orders', access_type: 'ALL', rows: 3 };
    const [mysql] = readPlan('mariadb', [
      [JSON.stringify({ query_block: { select_id: 1, nested_loop: [{ table }] } })],
    ]);
    assert.deepEqual([mysql?.label, mysql?.children[0]?.label], ['query block', 'table orders']);
    const rows = [
      ['2', '0', '0', 'CO-ROUTINE x'],
      ['5', '2', '0', 'SCAN a'],
    ];
    assert.deepEqual(readPlan('sqlite', rows)[0]?.children[0]?.label, 'SCAN a');
  });
});
