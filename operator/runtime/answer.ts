/** The answer of an API server on one stream of HTTP/2, whole or in pieces. */

import { type ClientHttp2Stream, constants } from 'node:http2';
import { StringDecoder } from 'node:string_decoder';
import { AnswerTooLargeError, DisconnectedError, StatusError } from './errors.ts';
import { resourceOf } from './resource-path.ts';

export interface Head {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
}

export interface Answer {
  readonly head: Head;
  /** Empty where it was taken as it came. */
  readonly text: string;
}

/** More than ten of the largest objects that an API server stores. */
export const maxLength = 16 * 1024 * 1024;

/**
 * Reads an answer to its end.
 *
 * @param onHead called with the status as soon as that is there, and with undefined where no answer came
 * @param take gets the body of a successful answer piece by piece; if it throws, the stream ends
 * @param mayEnd of a watch: whether this side is the one that ended it, so that it need not be whole
 * @throws AnswerTooLargeError where it is not taken as it comes and is very large; DisconnectedError when it did not come, or not to its end
 */
export function answerOf(
  stream: ClientHttp2Stream,
  onHead: (status: number | undefined) => void,
  take?: (chunk: Buffer) => void,
  mayEnd?: () => boolean,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const decoder = new StringDecoder();
  let text = '';
  let head: Head | undefined;
  let hasEnded = false;
  stream.once('response', (headers) => {
    const seconds = Number(headers['retry-after']);
    const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
    head = { status: Number(headers[constants.HTTP2_HEADER_STATUS]), retryAfterMs };
    onHead(head.status);
  });
  stream.on('data', (chunk: Buffer) => {
    if (take === undefined || head === undefined || head.status >= 300) {
      text += decoder.write(chunk);
      if (text.length <= maxLength) return;
      reject(new AnswerTooLargeError(`the answer of the API server has more than ${maxLength / 1024 / 1024} MiB`));
      stream.close(constants.NGHTTP2_CANCEL);
      return;
    }
    try {
      take(chunk);
    } catch (error) {
      // An event that reports an error, a line that is not JSON, or a defect of the reader: none may go unnoticed.
      reject(error instanceof Error ? error : new Error(String(error)));
      stream.close(constants.NGHTTP2_CANCEL);
    }
  });
  stream.once('end', () => {
    hasEnded = true;
  });
  stream.once('error', (error) => {
    reject(new DisconnectedError(`lost the connection to the API server: ${error.message}`, { cause: error }));
  });
  stream.once('close', () => {
    if (head === undefined) onHead(undefined);
    // A stream that was reset half-way ends like a whole one, but for its code.
    const isWhole = stream.rstCode === constants.NGHTTP2_NO_ERROR && (hasEnded || mayEnd !== undefined);
    if (head !== undefined && (isWhole || mayEnd?.() === true)) resolve({ head, text: text + decoder.end() });
    else reject(new DisconnectedError(`the connection to the API server ended ${whenOf(head, mayEnd !== undefined)}`));
  });
  return promise;
}

function whenOf(head: Head | undefined, isWatch: boolean): string {
  if (head === undefined) return 'before it answered';
  return isWatch ? 'in the middle of a watch' : 'in the middle of an answer';
}

/**
 * The message of a Status object (Kubernetes API conventions, "Response Status Kind"), or the text that came instead.
 *
 * @param unknownRemedy what to do where the server does not know the resource
 */
export function refusal(
  { status, retryAfterMs }: Head,
  text: string,
  asked: { readonly method: string; readonly path: string },
  unknownRemedy?: string,
): StatusError {
  try {
    const { reason = '', message = text } = JSON.parse(text) as { reason?: string; message?: string };
    return new StatusError(status, reason, message, retryAfterMs);
  } catch {
    const resource = resourceOf(asked.path);
    // An API server reports a missing object by a Status, and this text for a path that it does not serve.
    if (status === 404 && resource !== undefined && text.trim() === '404 page not found') {
      const remedy = unknownRemedy === undefined ? '' : `: ${unknownRemedy}`;
      return new StatusError(status, '', `${resource} is not known to this API server${remedy}`, retryAfterMs);
    }
    const [place] = asked.path.split('?', 1);
    const said = `the API server answered ${status} to ${asked.method} ${place}: ${text.trim().slice(0, 500)}`;
    return new StatusError(status, '', said, retryAfterMs);
  }
}
