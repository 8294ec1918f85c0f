/** A browser that a person uses: it keeps the cookies of the service. */
export class Visitor {
  readonly #url: string;
  readonly #cookies = new Map<string, string>();
  #csrfToken = '';

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends what the page would send; the path begins after `/person/v1`. @throws Error if the service refuses it */
  async post(path: string, body: object): Promise<void> {
    const response = await this.#send(path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
    const { csrfToken, me } = JSON.parse(text) as { csrfToken?: string; me?: { csrfToken?: string } };
    this.#csrfToken = csrfToken ?? me?.csrfToken ?? '';
  }

  /** The same, where a refusal is an answer. @returns its status */
  async try(path: string, body: object): Promise<number> {
    const response = await this.#send(path, body);
    await response.arrayBuffer();
    return response.status;
  }

  /** Where an address leads. @throws Error if it leads nowhere */
  async location(address: string): Promise<string> {
    const headers = { cookie: this.#cookie(), accept: 'text/html' };
    const response = this.#keep(await fetch(address, { headers, redirect: 'manual' }));
    const text = await response.text();
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${address} was answered with ${response.status}: ${text}`);
    return location;
  }

  async #send(path: string, body: object): Promise<Response> {
    const headers = {
      cookie: this.#cookie(),
      origin: this.#url,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      'rolecall-csrf': this.#csrfToken,
    };
    return this.#keep(
      await fetch(`${this.#url}/person/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
    );
  }

  #cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(response: Response): Response {
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }
}
