import assert from 'node:assert/strict';
import type { AddedFactors, Invitation, Me, TotpSetup } from '@rolecall/api';
import { codeOf } from '../../../server/sign-in/totp.ts';
import type { Answer, ServiceCalls } from './service.ts';

/** A browser that a person uses: it keeps cookies, and sends what the page of the service would. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #service: ServiceCalls;
  readonly #origin: string;
  #csrfToken = '';

  /** @param origin the address under which it reaches the service */
  constructor(service: ServiceCalls, origin: string = service.url) {
    this.#service = service;
    this.#origin = origin;
  }

  /** Sends one request; the path begins after `/person/v1`. */
  async send(method: string, path: string, json?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.#service.call(method, `/person/v1${path}`, {
      key: null,
      ...(json === undefined ? {} : { json }),
      headers: {
        cookie,
        origin: this.#origin,
        'sec-fetch-site': 'same-origin',
        'rolecall-csrf': this.#csrfToken,
        ...headers,
      },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    const { csrfToken, me } = (answer.body ?? {}) as { csrfToken?: string; me?: Me };
    this.#csrfToken = csrfToken ?? me?.csrfToken ?? this.#csrfToken;
    return answer;
  }

  /** The same, where anything but 200 is a failure; gives the body. */
  async ok<T>(method: string, path: string, json?: unknown): Promise<T> {
    const answer = await this.send(method, path, json);
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
    return answer.body as T;
  }

  /** The problem code of a request that is refused. */
  async refused(method: string, path: string, json?: unknown): Promise<string> {
    const answer = await this.send(method, path, json);
    assert.notEqual(answer.status, 200, `${method} ${path}`);
    return (answer.body as { code: string }).code;
  }

  signIn(username: string, password: string): Promise<Me> {
    return this.ok<Me>('POST', '/sign-in/password', { username, password });
  }

  /** Opens a fresh invitation of a person. */
  async enrol(person: string): Promise<Me> {
    const token = await invitationToken(this.#service, person);
    return this.ok<Me>('POST', '/enrolment', { token });
  }

  /** Sets up an authenticator app, with a password or without. @returns its seed, and the code that was used */
  async addTotp(password?: string): Promise<{ seed: string; used: string; recoveryCodes: string[]; me: Me }> {
    const { secret, setup } = await this.ok<TotpSetup>('POST', '/totp-setup');
    const used = codeNow(secret);
    const body = { totp: { setup, code: used }, ...(password === undefined ? {} : { password }) };
    const added = await this.ok<AddedFactors>('POST', '/factor', body);
    return { seed: secret, used, ...added };
  }
}

export async function invitationToken(service: ServiceCalls, person: string): Promise<string> {
  const { link } = await service.ok<Invitation>('POST', `/person/${person}/invitation`, { form: { delivery: 'link' } });
  return String(link).split('#')[1] ?? '';
}

/** The code of an authenticator app, some steps from now. */
export function codeNow(seed: string, steps = 0): string {
  return codeOf(seed, Math.floor(Date.now() / 30_000) + steps);
}

/** A password that is long enough to stand alone. */
export const longPassword = 'correct horse battery';
