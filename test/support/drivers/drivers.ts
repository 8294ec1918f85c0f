import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildOnce, findGo, runTool, type Say } from '../kubernetes/programs.ts';

/** Drivers in other languages than this one, each with a program that runs a script and prints all that it sees. */
const commands = {
  pgx: ({ go }: Installed) => [go, 'pgx'],
  'go-sql-driver': ({ go }: Installed) => [go, 'go-sql-driver'],
  psycopg: () => ['python3', path.join(sources, 'python/psycopg_client.py')],
  asyncpg: () => ['python3', path.join(sources, 'python/asyncpg_client.py')],
  PyMySQL: () => ['python3', path.join(sources, 'python/pymysql_client.py')],
  pgjdbc: (installed: Installed) => [...java(installed), 'Pgjdbc'],
  'Connector/J': (installed: Installed) => [...java(installed), 'Mysql', 'mysql'],
  'MariaDB Connector/J': (installed: Installed) => [...java(installed), 'Mysql', 'mariadb'],
} satisfies Record<string, (installed: Installed) => readonly string[]>;

export type Driver = keyof typeof commands;

/** Where the drivers are, with what was compiled for them. */
interface Installed {
  readonly go: string;
  readonly java: string;
  readonly python: string;
}

const sources = import.meta.dirname;

/** Where a program connects. */
export interface DriverLogin {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Runs the script of a driver. @returns the lines that it prints @throws if it fails, with what it said */
export async function runDriver(driver: Driver, login: DriverLogin): Promise<string[]> {
  const installed = placesIn(folder());
  const [program = '', ...args] = commands[driver](installed);
  const { stdout } = await promisify(execFile)(program, args, {
    env: {
      ...process.env,
      PYTHONPATH: installed.python,
      PYTHONDONTWRITEBYTECODE: '1',
      PGHOST: login.host,
      PGPORT: String(login.port),
      PGUSER: login.user,
      PGPASSWORD: login.password,
      PGDATABASE: login.database,
    },
    maxBuffer: 16 * 1024 * 1024,
    timeout: 120_000,
  });
  return stdout.trimEnd().split('\n');
}

/** The folder of the drivers, if all of them are installed. */
export function findDrivers(): string | undefined {
  return existsSync(placesIn(folder()).go) ? folder() : undefined;
}

/** What this machine lacks to install and run them. */
export function missingTool(): string | undefined {
  if (findGo() === undefined) return 'Go';
  return [
    ['java', '-version'],
    ['javac', '-version'],
    ['mvn', '-v'],
    ['python3', '-m', 'pip', '--version'],
  ]
    .map(([program = '', ...args]) => (spawnSync(program, args).status === 0 ? undefined : program))
    .find((program) => program !== undefined);
}

/**
 * Installs the drivers by the tools of their languages unless they are here. No test does it within its time limit.
 *
 * @throws what the tool said that failed
 */
export async function installDrivers(say: Say, signal?: AbortSignal): Promise<string> {
  const missing = missingTool();
  if (missing !== undefined) throw new Error(`${missing} is missing, which the drivers are installed with`);
  const place = folder();
  const { go, java: classes, python } = placesIn(place);
  await buildOnce(go, 'the drivers of databases', say, async () => {
    const requirements = path.join(sources, 'python/requirements.txt');
    const run = (program: string, args: string[], cwd = place) => runTool(program, args, { cwd }, signal);
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--upgrade', '--target', python, '-r', requirements]);
    await cp(path.join(sources, 'java/pom.xml'), path.join(place, 'pom.xml'));
    const jars = `-DoutputDirectory=${classes}`;
    await run('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DexcludeTransitive=true', jars]);
    await run('javac', ['-d', classes, '-cp', path.join(classes, '*'), ...globSync(path.join(sources, 'java/*.java'))]);
    const unfinished = `${go}.${process.pid}`;
    try {
      await run(findGo() ?? 'go', ['build', '-trimpath', '-o', unfinished, '.'], path.join(sources, 'go'));
      // Last: it says that all is there.
      await rename(unfinished, go);
    } finally {
      await rm(unfinished, { force: true });
    }
  });
  return place;
}

/** Where they are or will be; another folder for other sources. */
function folder(): string {
  const hash = createHash('sha256');
  for (const file of globSync(['go/*', 'java/*', 'python/requirements.txt'], { cwd: sources }).sort()) {
    hash.update(readFileSync(path.join(sources, file))).update('\0');
  }
  const cache = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache');
  return path.join(cache, 'rolecall', 'drivers', hash.digest('hex').slice(0, 16));
}

function placesIn(place: string): Installed {
  return { go: path.join(place, 'clients'), java: path.join(place, 'java'), python: path.join(place, 'python') };
}

/** They run for a second or two: what takes less to start is better than what is fast later. */
function java({ java: classes }: Installed): string[] {
  const options = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto', '-Dfile.encoding=UTF-8'];
  return ['java', ...options, '-cp', [classes, path.join(classes, '*')].join(path.delimiter)];
}
