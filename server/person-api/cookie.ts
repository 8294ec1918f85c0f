/** A cookie of the service, by the address under which browsers reach it. */
export class Cookie {
  readonly #secure: boolean;
  readonly #name: string;

  /**
   * @param origin as in https://rolecall.example.com; plain HTTP only on loopback, where a browser has no TLS
   * @param purpose default: it holds the token of the session
   */
  constructor(origin: string, purpose?: string) {
    this.#secure = origin.startsWith('https:');
    // The prefix makes browsers refuse the cookie from a subdomain, or without TLS.
    const name = purpose === undefined ? 'rolecall' : `rolecall-${purpose}`;
    this.#name = this.#secure ? `__Host-${name}` : name;
  }

  /** Its value in a Cookie header. */
  read(header: string | undefined): string | undefined {
    const prefix = `${this.#name}=`;
    // Only spaces and tabs: a browser takes a name after another space, such as U+00A0, for one without the prefix, so a subdomain can set it.
    // No expression for the end: it would take the square of the length for a header full of spaces.
    const parts = header?.split(';').map((part) => part.replace(/^[ \t]+/, '').trimEnd()) ?? [];
    return parts.find((part) => part.startsWith(prefix))?.slice(prefix.length);
  }

  /**
   * @param seconds how long the browser keeps it; default: until it is closed
   * @returns the value of a Set-Cookie header
   */
  write(value: string, seconds?: number): string {
    const age = seconds === undefined ? '' : `Max-Age=${seconds}; `;
    return `${this.#name}=${value}; ${age}${this.#attributes()}`;
  }

  /** @returns the value of a Set-Cookie header that deletes the cookie */
  clear(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes()}`;
  }

  #attributes(): string {
    return `Path=/; HttpOnly; SameSite=Lax${this.#secure ? '; Secure' : ''}`;
  }
}
