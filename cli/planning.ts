import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Client, createClient, isPlaintextRemote } from '@rolecall/api';
import { createView, makePlan, type Plan, type Step, type Surroundings } from '@rolecall/reconcile';
import type { Context } from './command.ts';
import type { Declared, DeclaredFlags } from './declared.ts';
import { InterruptedError } from './errors.ts';
import type { Interrupts } from './interrupts.ts';

export interface PlanFlags extends DeclaredFlags {
  /** Tokens of the rails to override. */
  override?: string[];
  concurrency?: number;
}

/** A plan, and what it takes to run it. Whoever gets it closes the client. */
export interface Prepared {
  plan: Plan;
  client: Client;
  resolveSecret: Surroundings['resolveSecret'];
  /** Reads the workspace once more: whether what was planned is still what would be planned. */
  isStillSo: () => Promise<boolean>;
}

/**
 * Plans; nothing is written.
 *
 * @throws the client's errors when the workspace cannot be read, InterruptedError when somebody asks to stop
 */
export async function preparePlan(
  { workspace, state, resolveSecret, connection }: Declared,
  flags: PlanFlags,
  context: Context,
  { abandon }: Pick<Interrupts, 'abandon'>,
): Promise<Prepared> {
  if (isPlaintextRemote(connection.url)) warnOfPlaintext(connection.url, context);
  const { concurrency } = flags;
  const client = createClient({
    ...connection,
    signal: abandon,
    ...(concurrency === undefined ? {} : { connections: Math.max(concurrency, readConnections) }),
  });
  const options = {
    workspace: { url: connection.url, ...(workspace === undefined ? {} : { name: workspace.metadata.name }) },
    overrides: flags.override ?? [],
    // The same for each plan of a run, so that only what the workspace says makes a difference.
    now: new Date(),
    resolveSecret,
    // Fingerprints can be compared within one run, and with nothing else.
    salt: randomBytes(16).toString('hex'),
  };
  const make = async (): Promise<Plan> => {
    try {
      return await makePlan(state, createView(client), options);
    } catch (error) {
      if (abandon.aborted) throw new InterruptedError();
      throw error;
    }
  };
  try {
    const plan = await make();
    return { plan, client, resolveSecret, isStillSo: async () => isSame(plan, await make()) };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** The order in which a list came makes no difference. */
function isSame(one: Plan, other: Plan): boolean {
  return one.digest === other.digest && isDeepStrictEqual(sorted(one.steps), sorted(other.steps));
}

function sorted(steps: readonly Step[]): Step[] {
  return steps.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** How many lists are read side by side, as the client does of itself. */
const readConnections = 16;

function warnOfPlaintext(url: string, { output }: Context): void {
  output.warn(
    'plaintext_url',
    `${url} is plain HTTP to another machine: the API key is sent unencrypted, and so are passwords. Use https.`,
  );
}
