import { isLoopbackHost } from '@rolecall/api';
import type { Transporter } from 'nodemailer';

/** Settings by which the service sends mail. */
export interface MailOptions {
  /** As in smtps://user:password@mail.example.com, or smtp:// for STARTTLS. */
  readonly url: string;
  /** The sender's address. */
  readonly from: string;
}

/** The URL of the mail server, or the sender's address, cannot be used. */
export class MailOptionsError extends Error {
  override name = 'MailOptionsError';
  readonly code = 'ERR_MAIL';
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Milliseconds that the mail server may be silent. */
const patience = 10_000;

/** Sends mail by SMTP: with TLS to any other machine, so that no one on the way can read a link. */
export class Mailer {
  readonly #settings: ReturnType<typeof readMailOptions>;
  readonly #from: string;
  #transport: Transporter | undefined;

  /** @throws MailOptionsError */
  constructor(options: MailOptions) {
    this.#settings = readMailOptions(options);
    this.#from = options.from;
  }

  /** @throws the error of the mail server, or of the connection to it */
  async send(mail: Mail): Promise<void> {
    const { createTransport } = await import('nodemailer');
    this.#transport ??= createTransport(this.#settings);
    await this.#transport.sendMail({ ...mail, from: this.#from });
  }
}

/** The settings of the SMTP client. @throws MailOptionsError */
export function readMailOptions({ url, from }: MailOptions) {
  // The error of URL would show the password.
  const parsed = URL.parse(url);
  if (parsed === null || !/^smtps?:$/.test(parsed.protocol) || parsed.hostname === '') {
    throw new MailOptionsError('--smtp-url must be smtps://HOST, or smtp://HOST for STARTTLS');
  }
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(from)) {
    throw new MailOptionsError('mail needs a sender: give --smtp-from an address such as rolecall@example.com');
  }
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  const secure = parsed.protocol === 'smtps:';
  return {
    host,
    port: parsed.port === '' ? (secure ? 465 : 587) : Number(parsed.port),
    secure,
    requireTLS: !secure && !isLoopbackHost(parsed.hostname),
    ...(parsed.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(parsed.username), pass: decodeURIComponent(parsed.password) } }),
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    // Otherwise an attachment of a message could name a file of this machine.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
