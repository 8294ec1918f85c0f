import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { CliError } from '../errors.ts';
import { writeWhole } from '../files/write-whole.ts';
import { type Environment, variable } from '../process/io.ts';
import { addressOf } from '../workspace/connection.ts';

const savedSession = z.object({
  token: z.string(),
  expiresAt: z.string(),
  /** The username of the person. */
  person: z.string(),
});

const savedSessions = z.record(z.string(), savedSession);

export type SavedSession = z.output<typeof savedSession>;

/** The sessions that `rolecall login` has opened, one for each service. Only the user can read the file. */
export class SavedSessions {
  readonly #folder: string;
  readonly file: string;

  constructor(env: Environment) {
    this.#folder = join(variable(env, 'XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'rolecall');
    this.file = join(this.#folder, 'sessions.json');
  }

  /** @throws CliError where the file is damaged */
  find(url: string): SavedSession | undefined {
    return this.#read()[addressOf(url)];
  }

  save(url: string, session: SavedSession): void {
    this.#write({ ...this.#read(), [addressOf(url)]: session });
  }

  remove(url: string): void {
    const { [addressOf(url)]: removed, ...others } = this.#read();
    if (removed !== undefined) this.#write(others);
  }

  #read(): Readonly<Record<string, SavedSession>> {
    let text: string;
    try {
      text = readFileSync(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw error;
    }
    try {
      return savedSessions.parse(JSON.parse(text));
    } catch {
      // Neither the parser's message nor the text is shown: the file has the tokens.
      throw new CliError('ERR_SESSIONS_FILE', `${this.file} is damaged: remove it, and run rolecall login again`);
    }
  }

  #write(sessions: Readonly<Record<string, SavedSession>>): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeWhole(this.file, `${JSON.stringify(sessions, undefined, 2)}\n`);
  }
}
