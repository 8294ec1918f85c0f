import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Prove } from '../parts/prove.tsx';
import { Problem } from '../person-client.ts';
import { type Action, useAction } from './use-action.ts';

/** An action that is done only just after the person has proven who they are: it asks for the proof if that is needed. */
export interface ProvenAction extends Action {
  /** Element that asks for the proof, to be shown beside the action, outside any form; undefined while none is needed. */
  readonly proof: ComponentChildren;
}

export function useProven(): ProvenAction {
  const action = useAction();
  const waiting = useSignal<(() => Promise<void>) | undefined>(undefined);
  const run = (work: () => Promise<void>): void => {
    action.run(async () => {
      try {
        await work();
        waiting.value = undefined;
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'recent_sign_in_required') throw error;
        waiting.value = work;
      }
    });
  };
  const work = waiting.value;
  const again = () => {
    waiting.value = undefined;
    if (work !== undefined) run(work);
  };
  return { ...action, run, proof: work === undefined ? undefined : <Prove done={again} /> };
}
