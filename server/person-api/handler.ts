import type {
  DataSourceType,
  ParsedPersonRequest,
  PersonAnswerOf,
  PersonOperationId,
  PersonRoutes,
} from '@rolecall/api';
import type { Change } from '../audit/entry.ts';
import type { ExportSlots } from '../export/slots.ts';
import type { GatewayAddress } from '../gateway/index.ts';
import type { Services, Work } from '../handlers/handler.ts';
import type { PersonFailure } from '../http/failed-logins.ts';
import type { TokenBuckets } from '../http/limits/rate-limits.ts';
import type { OwnAnswer } from '../http/messages/own-answer.ts';
import type { JsonBytes, JsonStream } from '../json-answer.ts';
import type { Guesses } from '../sign-in/guesses.ts';
import type { OidcProviders } from '../sign-in/oidc/providers.ts';
import type { PasswordHasher } from '../sign-in/password-hash.ts';
import type { LiveSession } from '../sign-in/sessions.ts';
import type { Collection, Store } from '../store/store.ts';
import type { StoreClock } from '../store-clock.ts';
import type { Catalogues } from './catalogues.ts';
import type { EventStreams } from './events/event-streams.ts';
import type { Passages } from './passages.ts';

/** The dependencies of all handlers of the person's API. */
export interface PersonServices
  extends Pick<
    Services,
    | 'store'
    | 'storeIdentity'
    | 'seal'
    | 'digest'
    | 'clock'
    | 'queries'
    | 'guard'
    | 'auditStatements'
    | 'origin'
    | 'sessions'
    | 'gate'
    | 'mailer'
    | 'onError'
  > {
  readonly passages: Passages;
  readonly exportSlots: ExportSlots;
  readonly catalogues: Catalogues;
  readonly oidc: OidcProviders;
  readonly signIn: SignInServices;
  readonly events: EventStreams;
  /** Returns the address of the gateway for a type of data sources; null if the service knows of none. */
  readonly gatewayAddress: (type: DataSourceType) => GatewayAddress | null;
  /** The role whose members are administrators; undefined: there are none. */
  readonly adminRole: string | undefined;
}

/** Services that signing in needs. */
export interface SignInServices {
  readonly passwords: PasswordHasher;
  readonly guesses: Guesses;
  /** Limits the requests of tools that log in, by network. */
  readonly toolLogins: TokenBuckets;
  /** Notes a refused sign-in for the audit trail. */
  readonly failed: (address: string, failure: PersonFailure, person: string | undefined) => void;
  /** The store's time, which one-time codes go by. */
  readonly clock: StoreClock;
  readonly requireTwoFactor: boolean;
}

/** The store, as one request of a person may use it. */
export interface PersonStore {
  readonly read: Store['read'];
  /**
   * Like `Store.write`; the audit trail records its changes with the operation and the person.
   *
   * @param person the author, for an operation without a session; default: the person of the session, or the caller's address
   */
  readonly write: <T>(changes: readonly Collection[], work: Work<T>, person?: string) => Promise<T>;
  /** Records something that changed nothing in the store. Does not fail if the store cannot be written. */
  readonly note: (changes: readonly Change[]) => Promise<void>;
}

/** The caller of a request, as far as the service can tell without a session. */
export interface PersonAsker {
  readonly address: string;
  readonly requestId: string;
  /** The User-Agent header. */
  readonly client: string;
  /** True if a page of another site sent the browser here. */
  readonly isFromElsewhere: boolean;
}

/** The dependencies of one request of a person. */
export interface PersonContext extends Omit<PersonServices, 'store'> {
  readonly store: PersonStore;
  readonly asker: PersonAsker;
  readonly cookie: BrowserCookies;
}

/** The cookies of the caller's browser. */
export interface BrowserCookies {
  /** Gives the browser its session. */
  readonly set: (token: string) => void;
  /** Takes the session away. */
  readonly clear: () => void;
  /** @param purpose default: the token of the session, which may be over */
  readonly read: (purpose?: string) => string | undefined;
  readonly keep: (purpose: string, value: string, seconds: number) => void;
}

type SessionOf<Id extends PersonOperationId> = PersonRoutes[Id]['session'] extends 'none' ? undefined : LiveSession;

/** Does one operation. Its input is valid, and the route's rule is held. @throws Refusal */
export type PersonHandler<Id extends PersonOperationId> = (
  request: ParsedPersonRequest<Id>,
  context: PersonContext,
  session: SessionOf<Id>,
) => Promise<PersonAnswerOf<Id> | JsonBytes | JsonStream | OwnAnswer>;

export type PersonHandlers = { [Id in PersonOperationId]: PersonHandler<Id> };
