// Shows each problem of the text at the end of its line, beside the underlined passage.
import { setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { StateEffect, StateField, type EditorState, type Extension, type TransactionSpec } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';
import type { EditorIssue } from './use-checked.ts';

class IssueNote extends WidgetType {
  readonly message: string;
  constructor(message: string) {
    super();
    this.message = message;
  }
  override eq(other: IssueNote): boolean {
    return other.message === this.message;
  }
  override toDOM(): HTMLElement {
    const note = document.createElement('span');
    note.className = 'issue-note';
    note.textContent = this.message;
    // The list below the editor has the same text.
    note.ariaHidden = 'true';
    return note;
  }
}

const replaceNotes = StateEffect.define<DecorationSet>();
const notes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (shown, { changes, effects }) =>
    effects.reduce((last, effect) => (effect.is(replaceNotes) ? effect.value : last), shown.map(changes)),
  provide: (field) => EditorView.decorations.from(field),
});

export const issueLines: Extension = notes;

/** Replaces the shown problems. The text may be newer than the check: every position is bounded by its end. */
export function showIssues(state: EditorState, issues: readonly EditorIssue[]): TransactionSpec[] {
  const end = state.doc.length;
  const shown = issues.map(({ from, to, message }): Diagnostic => ({
    from: Math.min(from, end),
    to: Math.min(Math.max(to, from + 1), end),
    severity: 'error',
    message,
  }));
  const widgets = shown.map(({ from, message }) =>
    Decoration.widget({ widget: new IssueNote(message), side: 1 }).range(state.doc.lineAt(from).to),
  );
  return [setDiagnostics(state, shown), { effects: replaceNotes.of(Decoration.set(widgets, true)) }];
}
