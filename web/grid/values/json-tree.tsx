import { useSignal } from '@preact/signals';
import { type JsonNode, JsonNumber, membersOf } from './json-nodes.ts';
import { counted } from './summary.ts';

/** Members that are shown at a time. */
const step = 100;

/** JSON as a tree that opens. */
export function JsonTree({ node }: { readonly node: JsonNode }) {
  return (
    <ul class="json">
      <Member name={undefined} node={node} isOpen />
    </ul>
  );
}

interface MemberProps {
  readonly name: string | undefined;
  readonly node: JsonNode;
  readonly isOpen?: boolean;
}

function Member({ name, node, isOpen = false }: MemberProps) {
  const open = useSignal(isOpen);
  const members = membersOf(node);
  const label = name === undefined ? null : <span class="key">{name}: </span>;
  if (members === undefined) {
    return (
      <li>
        {label}
        <Scalar node={node} />
      </li>
    );
  }
  return (
    <li>
      <details
        open={open.value}
        onToggle={(event) => {
          open.value = event.currentTarget.open;
        }}
      >
        <summary>
          {label}
          <span class="quiet">{counted(members.length, Array.isArray(node) ? 'item' : 'member')}</span>
        </summary>
        {open.value && <Members members={members} />}
      </details>
    </li>
  );
}

function Members({ members }: { readonly members: readonly [string, JsonNode][] }) {
  const shown = useSignal(step);
  return (
    <ul>
      {members.slice(0, shown.value).map(([name, node]) => (
        <Member key={name} name={name} node={node} />
      ))}
      {members.length > shown.value && (
        <li>
          <button
            type="button"
            onClick={() => {
              shown.value += step;
            }}
          >
            Show more
          </button>
        </li>
      )}
    </ul>
  );
}

function Scalar({ node }: { readonly node: JsonNode }) {
  if (node instanceof JsonNumber) return <span class="number">{node.digits}</span>;
  if (typeof node === 'string') return <span class="text">{JSON.stringify(node)}</span>;
  return <span class="word">{JSON.stringify(node)}</span>;
}
