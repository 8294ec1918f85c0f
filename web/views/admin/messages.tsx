import { useSignal } from '@preact/signals';
import type { Editor } from '@rolecall/api';
import { useAction } from '../../browser/use-action.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, Form, LongField } from '../../parts/form.tsx';
import { ShowLoaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';
import { SearchedList, useSearch } from './searched-list.tsx';

/** The editors of people, each with its messages: what is posted there appears in its person's page at once. */
export function Messages() {
  const searched = useSearch((query, signal) => call('listAllEditors', { query }, signal));
  const open = useSignal<string | undefined>(undefined);
  return (
    <>
      <SearchedList
        searched={searched}
        show={({ editors }) =>
          editors.length === 0 ? (
            <p class="quiet">There is no such editor.</p>
          ) : (
            <ul class="lines">
              {editors.map((editor) => (
                <li key={editor.id}>
                  <div class="row">
                    <div>
                      <strong>{editor.person.name}</strong> on {editor.dataSource.alias ?? editor.dataSource.name}
                    </div>
                    <button
                      type="button"
                      aria-expanded={open.value === editor.id}
                      onClick={() => (open.value = open.value === editor.id ? undefined : editor.id)}
                    >
                      Messages
                    </button>
                  </div>
                  {open.value === editor.id && <MessagesOf editor={editor} />}
                </li>
              ))}
            </ul>
          )
        }
      />
    </>
  );
}

function MessagesOf({ editor: { id } }: { readonly editor: Editor }) {
  const { loaded, reload } = useResource((signal) => call('listMessages', { params: { editor: id } }, signal));
  const action = useAction();
  const count = useSignal(0);
  return (
    <>
      <ShowLoaded
        loaded={loaded.value}
        reload={reload}
        show={(messages) => (
          <ul class="plain-list">
            {messages.map((message) => (
              <li key={message.id} class="row">
                <div>
                  <strong>{message.title}</strong>
                  <div class="text">{message.message}</div>
                  <div class="quiet">
                    <Moment at={message.createdAt} />
                  </div>
                </div>
                <ConfirmButton
                  label="Delete"
                  question="Delete this message?"
                  action={action}
                  confirm={async () => {
                    await call('deleteMessage', { params: { editor: id, messageId: message.id } });
                    reload();
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      />
      <Failure error={action.error} />
      <Form
        key={count.value}
        action={{ ...action, error: undefined }}
        label="Post"
        submit={async ({ title = '', message = '' }) => {
          await call('postMessage', { params: { editor: id }, body: { title, message } });
          count.value += 1;
          reload();
        }}
      >
        <Field label="Title" name="title" autocomplete="off" />
        <LongField label="Message" name="message" required />
      </Form>
    </>
  );
}
