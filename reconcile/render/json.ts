import type { Plan } from '../model/plan.ts';

/**
 * The plan with its fields in one order, whatever made it: as JSON it is what plan.schema.json defines. No secret is in it: a
 * password is where it comes from, and as a changed field its fingerprint.
 */
export function orderedPlan(plan: Plan): Plan {
  const {
    format,
    createdAt,
    workspace,
    access,
    removals,
    steps,
    gates,
    observed,
    held,
    refusals,
    notes,
    undeclared,
    compared,
    exact,
    rails,
    digest,
  } = plan;
  const described = { ...(access === undefined ? {} : { access }), ...(removals === undefined ? {} : { removals }) };
  return {
    format,
    createdAt,
    workspace,
    steps,
    ...(gates === undefined ? {} : { gates }),
    observed,
    held,
    refusals,
    notes,
    ...described,
    ...(undeclared === undefined ? {} : { undeclared }),
    compared,
    exact,
    rails,
    digest,
  };
}

/**
 * JSON that is safe to print. JSON itself escapes only the control characters below U+0020; terminals obey others too.
 * Such characters can stand nowhere in JSON but inside a string, so that escaping them in the text changes no value.
 *
 * @param indent blanks for each level; 0 puts all on one line
 */
export function printableJson(value: unknown, indent = 2): string {
  return withoutControls(JSON.stringify(value, undefined, indent));
}

function withoutControls(json: string): string {
  return json.replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    // By UTF-16 code unit, as JSON has it: a character outside the basic plane is two of them.
    character.split('').map(escape).join(''),
  );
}

function escape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Writes what `printableJson` returns, indented by two, piece by piece: the JSON of a large plan is longer than a string can be.
 *
 * @param value plain data: what JSON has no form for is left out
 */
export function writePrintableJson(value: unknown, write: (piece: string) => void): void {
  const writer = new JsonWriter(write);
  writer.add(value, '\n');
  writer.end();
}

/** About how long a piece is, in UTF-16 code units. */
const pieceLength = 65_536;

class JsonWriter {
  readonly #write: (piece: string) => void;
  #piece = '';

  constructor(write: (piece: string) => void) {
    this.#write = write;
  }

  /** @param margin a line break and the blanks before the value */
  add(value: unknown, margin: string): void {
    if (typeof value !== 'object' || value === null) this.#put(withoutControls(JSON.stringify(value)));
    else if (Array.isArray(value)) {
      this.#addAll('[]', margin, value, (item, inner) => {
        this.add(item, inner);
      });
    } else {
      const fields = Object.entries(value).filter(([, field]) => field !== undefined);
      this.#addAll('{}', margin, fields, ([name, field], inner) => {
        this.#put(`${withoutControls(JSON.stringify(name))}: `);
        this.add(field, inner);
      });
    }
  }

  end(): void {
    this.#write(this.#piece);
    this.#piece = '';
  }

  #addAll<T>(brackets: string, margin: string, items: readonly T[], add: (item: T, inner: string) => void): void {
    if (items.length === 0) {
      this.#put(brackets);
      return;
    }
    const inner = `${margin}  `;
    let separator = brackets.slice(0, 1);
    for (const item of items) {
      this.#put(`${separator}${inner}`);
      add(item, inner);
      separator = ',';
    }
    this.#put(`${margin}${brackets.slice(1)}`);
  }

  #put(text: string): void {
    this.#piece += text;
    if (this.#piece.length >= pieceLength) this.end();
  }
}
