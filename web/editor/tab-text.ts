import { signal } from '@preact/signals';
import type { Tab } from '@rolecall/api';
import { call, Problem, Unreachable } from '../person-client.ts';
import { dropDraft, keepDraft, readDraft } from './unsaved.ts';

/**
 * - `reading`: the text is on its way.
 * - `saved`: the service has it.
 * - `unsaved`: it is about to be saved.
 * - `failed`: it could not be saved. Where `again` is set, it is tried again.
 * - `deleted`: another window deleted the tab, and this one has a text that is nowhere else.
 * - `conflict`: another window has changed the tab, and the person chooses.
 */
export type SaveState =
  | { readonly kind: 'reading' | 'saved' | 'unsaved' | 'deleted' }
  | { readonly kind: 'failed'; readonly why: string; readonly again: boolean }
  | { readonly kind: 'conflict'; readonly theirs: Tab };

/** Milliseconds that typing may continue before it is saved, and the pauses after failures. */
const saveAfter = 400;
const [firstPause, longestPause] = [1000, 10_000];

/** Refusals that the same request would meet again. */
const final = new Set(['invalid_fields', 'body_too_large', 'access_ended', 'signed_out']);

interface Place {
  readonly person: string;
  readonly editor: string;
  readonly tab: string;
}

/** The text of one tab: saves typed text, keeps it until it is saved, and never overwrites another window unseen. */
export class TabText {
  readonly id: string;
  readonly title = signal('');
  /** Undefined until it was read. */
  readonly text = signal<string | undefined>(undefined);
  readonly state = signal<SaveState>({ kind: 'reading' });
  /** Counts the texts that came from elsewhere, not from typing. */
  readonly replaced = signal(0);
  readonly #place: Place;
  #saved = { title: '', text: '', version: 0 };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(place: Place, title: string) {
    this.id = place.tab;
    this.#place = place;
    this.title.value = title;
    addEventListener('online', this.#online);
  }

  /** Reads the text, with changes of other windows. Text typed here stays. @throws Problem, Unreachable */
  async read(): Promise<void> {
    const params = { editor: this.#place.editor, tab: this.id };
    const tab = await call('getTab', { params });
    if (this.#isClosed || this.state.value.kind === 'conflict') return;
    const draft = this.text.value === undefined ? readDraft(this.#key) : undefined;
    if (draft !== undefined) this.#takeDraft(draft, tab);
    else if (!this.#isDirty() && tab.version !== this.#saved.version) this.#take(tab);
  }

  /** Takes typed text. */
  edit(text: string): void {
    this.text.value = text;
    this.#changed();
  }

  rename(title: string): void {
    this.title.value = title;
    this.#changed();
  }

  /** Ends a conflict with one of the two texts. */
  resolve(keep: 'mine' | 'theirs'): void {
    const state = this.state.value;
    if (state.kind !== 'conflict') return;
    this.#saved = state.theirs;
    if (keep === 'theirs') this.#take(state.theirs);
    else {
      this.state.value = { kind: 'unsaved' };
      this.#changed();
      this.save();
    }
  }

  /** Saves unsaved text now. */
  save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#saving !== undefined || ['conflict', 'deleted'].includes(this.state.value.kind) || !this.#isDirty())
      return;
    this.#saving = this.#send().finally(() => {
      this.#saving = undefined;
      if (this.#isDirty() && this.#timer === undefined && this.state.value.kind === 'unsaved') this.#saveIn(saveAfter);
    });
  }

  /** Saves once more, then stops. What cannot be saved stays as a draft. */
  close(): void {
    this.save();
    this.#isClosed = true;
    clearTimeout(this.#timer);
    removeEventListener('online', this.#online);
  }

  /** Forgets typed text, because the tab was deleted. */
  forget(): void {
    this.#saved = { title: this.title.value, text: this.text.value ?? '', version: 0 };
    this.close();
    dropDraft(this.#key);
  }

  get #key(): string {
    return `${this.#place.person} ${this.id}`;
  }

  readonly #online = (): void => {
    const state = this.state.value;
    if (state.kind === 'failed' && state.again) this.save();
  };

  #isDirty(): boolean {
    const text = this.text.value;
    return text !== undefined && (text !== this.#saved.text || this.title.value !== this.#saved.title);
  }

  #changed(): void {
    if (!this.#isDirty()) {
      if (this.state.value.kind === 'unsaved' && this.#saving === undefined) this.#settle();
      return;
    }
    this.#keep();
    if (this.state.value.kind === 'conflict') return;
    // After a failure the next try is under way, unless the same text would only fail again.
    if (this.state.value.kind === 'failed' && this.state.value.again) return;
    if (this.state.value.kind === 'deleted') return;
    this.state.value = { kind: 'unsaved' };
    if (this.#timer === undefined) this.#saveIn(saveAfter);
  }

  #keep(): void {
    keepDraft(this.#key, { title: this.title.value, text: this.text.value ?? '', version: this.#saved.version });
  }

  #saveIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.save();
    }, ms);
  }

  async #send(): Promise<void> {
    const [title, text] = [this.title.value, this.text.value ?? ''];
    const { version } = this.#saved;
    try {
      const params = { editor: this.#place.editor, tab: this.id };
      const { saved, tab } = await call('changeTab', { params, body: { title, text, version } });
      this.#failures = 0;
      // An answer was lost: the service already has the text that was sent again.
      if (saved || (tab.text === text && tab.title === title)) this.#sent(tab);
      else if (tab.text === this.#saved.text) this.#renamedElsewhere(tab);
      else this.state.value = { kind: 'conflict', theirs: tab };
    } catch (error) {
      this.#failed(error);
    }
  }

  #sent(tab: Tab): void {
    this.#saved = tab;
    if (this.#isDirty()) {
      this.#keep();
      this.state.value = { kind: 'unsaved' };
    } else this.#settle();
  }

  /** Only the title differs: the text that was typed here is based on that version, too. */
  #renamedElsewhere(tab: Tab): void {
    if (this.title.value === this.#saved.title) this.title.value = tab.title;
    this.#saved = tab;
    this.#keep();
    this.state.value = { kind: 'unsaved' };
  }

  #failed(error: unknown): void {
    const code = error instanceof Problem ? error.code : '';
    if (code === 'not_found') {
      this.state.value = { kind: 'deleted' };
      return;
    }
    const why = error instanceof Unreachable ? 'the service cannot be reached' : (error as Error).message;
    const again = !final.has(code);
    this.state.value = { kind: 'failed', why, again };
    if (!again || this.#isClosed) return;
    this.#saveIn(Math.min(longestPause, firstPause * 2 ** this.#failures));
    this.#failures += 1;
  }

  #settle(): void {
    dropDraft(this.#key);
    this.state.value = { kind: 'saved' };
  }

  /** Shows the service's text. */
  #take(tab: Tab): void {
    this.#saved = tab;
    this.title.value = tab.title;
    this.text.value = tab.text;
    this.replaced.value += 1;
    this.#settle();
  }

  /** Continues with text typed before a reload or a new sign-in. */
  #takeDraft(draft: { title: string; text: string; version: number }, tab: Tab): void {
    if (draft.text === tab.text && draft.title === tab.title) {
      this.#take(tab);
      return;
    }
    // The draft's version, not the tab's: a reload while the person still chooses must find the conflict again.
    this.#saved = { ...tab, version: draft.version };
    this.title.value = draft.title;
    this.text.value = draft.text;
    this.replaced.value += 1;
    this.#keep();
    this.state.value = draft.version === tab.version ? { kind: 'unsaved' } : { kind: 'conflict', theirs: tab };
    this.save();
  }
}
