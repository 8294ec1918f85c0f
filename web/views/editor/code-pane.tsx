import { useEffect, useRef } from 'preact/hooks';
import { CodeEditor, type CodeEditorOptions } from '../../editor/code-editor.ts';
import type { TabText } from '../../editor/tab-text.ts';

interface CodePaneProps extends CodeEditorOptions {
  readonly tab: TabText;
  /** Gives the editor to its owner, and takes it away at the end. */
  readonly take: (editor: CodeEditor | undefined) => void;
}

/** The text of a tab, to be edited. */
export function CodePane({ tab, take, ...options }: CodePaneProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | undefined>(undefined);
  useEffect(() => {
    if (host.current === null) return undefined;
    const made = new CodeEditor(host.current, options);
    editor.current = made;
    take(made);
    return () => {
      take(undefined);
      made.destroy();
    };
  }, []);
  const text = tab.text.value;
  const isRead = text !== undefined;
  useEffect(() => {
    if (isRead) editor.current?.show(tab.id, text);
  }, [tab, isRead]);
  // Not where a keyboard would come up and hide the page.
  useEffect(() => {
    if (isRead && matchMedia('(pointer: fine)').matches && document.activeElement === document.body)
      editor.current?.focus();
  }, [isRead]);
  useEffect(() => {
    if (isRead) editor.current?.replace(tab.id, text);
  }, [tab.replaced.value]);
  return <div class="code-pane" ref={host} />;
}
