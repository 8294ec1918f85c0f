import { isDeepStrictEqual } from 'node:util';
import { type OperationId, routeTable } from '@rolecall/api';
import { ReadyMade, ReadyStream } from '../ready-made.ts';

/** Throws when an answer is not exactly what the operation's schema says. */
export type CheckAnswer = (id: OperationId, answer: unknown) => void;

/** Compares what goes over the wire with what the schema keeps of it, so that a field too many fails as well. */
export const checkAnswer: CheckAnswer = (id, answer) => {
  if (answer instanceof ReadyStream) return;
  const text = answer instanceof ReadyMade ? answer.bytes.toString('utf8') : JSON.stringify(answer);
  const sent: unknown = JSON.parse(text);
  const kept = routeTable[id].answer.parse(sent);
  if (!isDeepStrictEqual(kept, sent)) {
    throw new Error(`the answer of ${id} has fields that its schema does not have: ${text.slice(0, 1000)}`);
  }
};
