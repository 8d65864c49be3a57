// A text editor for YAML, with the problems of the text in their lines.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { readNonce } from '../ui/nonce.ts';
import { issueLines, showIssues } from './issue-lines.ts';
import type { EditorIssue } from './use-checked.ts';
import './editor.css';

const STYLE = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent-text)' },
  { tag: tags.comment, color: 'var(--ink-3)' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--run)' },
  { tag: tags.punctuation, color: 'var(--ink-3)' },
]);

type YamlEditorProps = {
  text: string;
  onChange(text: string): void;
  issues: readonly EditorIssue[];
  isReadOnly: boolean;
};

export function YamlEditor({ text, onChange, issues, isReadOnly }: YamlEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const start = useRef({ text, onChange });
  start.current.onChange = onChange;
  useEffect(() => {
    if (!box.current) return undefined;
    const editor = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: start.current.text,
        extensions: [
          lineNumbers(),
          history(),
          yaml(),
          syntaxHighlighting(STYLE),
          issueLines,
          EditorView.lineWrapping,
          EditorView.cspNonce.of(readNonce()),
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ 'aria-label': 'Definition in YAML', tabindex: '0' }),
          // Escape and then Tab leaves the editor.
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) start.current.onChange(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      start.current.text = editor.state.doc.toString();
      editor.destroy();
    };
  }, [isReadOnly]);
  useEffect(() => {
    const { current } = view;
    if (current) current.dispatch(...showIssues(current.state, issues));
  }, [issues]);
  return <div className="editor" ref={box} />;
}
