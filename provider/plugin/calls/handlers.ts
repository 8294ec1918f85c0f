import type { MessageInput, MessageOf } from '../messages/fields.ts';
import type { CallName, calls } from '../messages/messages.ts';

type Of<N extends CallName> = (typeof calls)[N];
export type RequestOf<N extends CallName> = MessageOf<Of<N>['request']>;
export type ResponseOf<N extends CallName> = MessageInput<Of<N>['response']>;

/** Answers one of the protocol's calls. */
export type Handler<N extends CallName> = (
  request: RequestOf<N>,
) => ResponseOf<N> | Promise<ResponseOf<N>> | AsyncIterable<ResponseOf<N>>;

export type Handlers = { readonly [N in CallName]?: Handler<N> };
