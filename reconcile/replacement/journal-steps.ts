import { type Step, stepId } from '../model/step.ts';
import { divideFallen, type Fallen, type Journal, type JournalContent, journalBody, journalText } from './journal.ts';

const effect = 'replace';

/** The calls that write what falls with a person, and those that delete that again. */
export interface JournalSteps {
  write: Step[];
  /** Each waits for `after`, and for what it deletes to be written. */
  forget: (after: readonly string[]) => Step[];
}

/**
 * Writes a journal, unless a run that was interrupted has left the same one. Others of the same person, which know less or
 * more than is so by now, are deleted with it.
 */
export function journalSteps(
  who: Pick<JournalContent, 'person' | 'becomes'>,
  fallen: Fallen,
  object: Step['object'],
  left: readonly Journal[],
): JournalSteps {
  const wanted = divideFallen(fallen).map((part): JournalContent => ({ version: 1, ...who, ...part }));
  const texts = new Set(left.map(({ content }) => journalText(content)));
  const missing = wanted.filter((content) => !texts.has(journalText(content)));
  const written = missing.map((content, index) => ({ content, makes: `Journal ${who.person.id} ${index}` }));
  return {
    write: written.map(({ content, makes }, index) => ({
      id: stepId('createSnippet', 'journal', who.person.id, String(index)),
      operation: 'createSnippet',
      params: {},
      body: journalBody(content),
      object,
      summary: `write down what falls with ${who.person.username}, in a snippet`,
      reason: 'a run that is interrupted is finished from it by the next one',
      effect,
      makes,
      after: [],
    })),
    forget: (after) => [
      ...written.map(({ makes }, index) => ({
        ...forget(who.person.username, object, after),
        id: stepId('deleteSnippet', 'journal', who.person.id, String(index)),
        params: { snippet: { ref: makes } },
      })),
      ...left.map((journal) => forgetJournal(journal, object, after)),
    ],
  };
}

/** The call that deletes a journal that lies in the workspace. */
export function forgetJournal({ snippet, content }: Journal, object: Step['object'], after: readonly string[]): Step {
  return {
    ...forget(content.person.username, object, after),
    id: stepId('deleteSnippet', snippet.id),
    params: { snippet: snippet.id },
  };
}

function forget(username: string, object: Step['object'], after: readonly string[]): Omit<Step, 'id' | 'params'> {
  return {
    operation: 'deleteSnippet',
    object,
    summary: `delete the snippet that says what fell with ${username}`,
    reason: 'all of it is there again',
    effect,
    after: [...after],
  };
}
