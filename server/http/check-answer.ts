import { isDeepStrictEqual } from 'node:util';
import type { Operation } from '@rolecall/api';
import { JsonBytes, JsonStream } from '../json-answer.ts';

/** Throws when an answer is not exactly what the operation's schema says. */
export type CheckAnswer = (operation: Operation, answer: unknown) => void;

/** Compares the answer on the wire with what the schema keeps of it, so that an extra field fails too. */
export const checkAnswer: CheckAnswer = ({ operationId, answer: schema }, answer) => {
  if (answer instanceof JsonStream) return;
  const text = answer instanceof JsonBytes ? answer.bytes.toString('utf8') : JSON.stringify(answer);
  const sent: unknown = JSON.parse(text);
  const kept = schema.parse(sent);
  if (!isDeepStrictEqual(kept, sent)) {
    throw new Error(`the answer of ${operationId} has fields that its schema does not have: ${text.slice(0, 1000)}`);
  }
};
