import type { GatewaySession } from '@rolecall/api';
import type { Sample } from '@rolecall/api/metrics';

type Protocol = GatewaySession['protocol'];

const protocols: readonly Protocol[] = ['postgresql', 'mysql'];

/** Why a log-in was refused. */
const refusals = ['password', 'access', 'limit', 'client', 'database', 'store', 'error'] as const;

type Refusal = (typeof refusals)[number];

/** Why a session ended: its connection closed, the access ended, it was ended, or the gateway stopped. */
const endings = ['closed', 'access', 'ended', 'shutdown'] as const;

export type Ending = (typeof endings)[number];

/** By SQLSTATE; any other one comes from the database. */
const refusalOf: Readonly<Record<string, Refusal>> = {
  '28P01': 'password',
  '28000': 'access',
  '57P01': 'access',
  '53300': 'limit',
  '08P01': 'client',
  '0A000': 'client',
  '22023': 'client',
  '42704': 'client',
  '57014': 'client',
  '3D000': 'client',
  '57P03': 'store',
  XX000: 'error',
};

/** Bytes that came from a client, and went to it. */
export interface Traffic {
  readonly received: number;
  readonly sent: number;
}

interface Open {
  readonly protocol: Protocol;
  readonly traffic: () => Traffic;
}

/** Metrics of the gateway of this process, for Prometheus. Every series is there from the start: rate() misses a first event. */
export class Figures {
  readonly #refused = new Counts(refusals);
  readonly #ended = new Counts(endings);
  readonly #bytes = new Counts(['received', 'sent'] as const);

  /** @param sqlState that the client is told */
  refused(protocol: Protocol, sqlState: string): void {
    this.#refused.add(protocol, refusalOf[sqlState] ?? 'database');
  }

  ended({ protocol, traffic }: Open, ending: Ending): void {
    this.#ended.add(protocol, ending);
    const { received, sent } = traffic();
    this.#bytes.add(protocol, 'received', received);
    this.#bytes.add(protocol, 'sent', sent);
  }

  /** The samples of each metric. @param open the sessions that have not ended */
  read(open: Iterable<Open>): Readonly<Record<'sessions' | 'refused' | 'ended' | 'bytes', readonly Sample[]>> {
    const sessions = new Counts(['open'] as const);
    const bytes = this.#bytes.copy();
    for (const { protocol, traffic } of open) {
      const { received, sent } = traffic();
      sessions.add(protocol, 'open');
      bytes.add(protocol, 'received', received);
      bytes.add(protocol, 'sent', sent);
    }
    return {
      sessions: sessions.samples(() => ({})),
      refused: this.#refused.samples((reason) => ({ reason })),
      ended: this.#ended.samples((reason) => ({ reason })),
      bytes: bytes.samples((direction) => ({ direction })),
    };
  }
}

/** Counts what happened, by protocol and kind. */
class Counts<Kind extends string> {
  readonly #kinds: readonly Kind[];
  readonly #values: Map<string, number>;

  constructor(kinds: readonly Kind[], values?: ReadonlyMap<string, number>) {
    this.#kinds = kinds;
    this.#values = new Map(values);
  }

  add(protocol: Protocol, kind: Kind, amount = 1): void {
    const key = `${protocol} ${kind}`;
    this.#values.set(key, (this.#values.get(key) ?? 0) + amount);
  }

  copy(): Counts<Kind> {
    return new Counts(this.#kinds, this.#values);
  }

  samples(label: (kind: Kind) => Readonly<Record<string, string>>): Sample[] {
    return protocols.flatMap((protocol) =>
      this.#kinds.map((kind) => ({
        labels: { protocol, ...label(kind) },
        value: this.#values.get(`${protocol} ${kind}`) ?? 0,
      })),
    );
  }
}
