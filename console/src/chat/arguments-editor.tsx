import type { ToolCall } from '@millrace/contracts';
import { Pencil } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { formatJson } from '../ui/format.ts';
import { JsonView } from '../ui/json-view.tsx';
import { editArguments, UNEDITED, type ArgumentsEdit } from './arguments-edit.ts';

type ArgumentsEditorProps = {
  toolCall: ToolCall;
  edit: ArgumentsEdit;
  /** Absent: the arguments are shown only. */
  onChange: ((edit: ArgumentsEdit) => void) | undefined;
};

/** Shows the call that waits, and edits its arguments. */
export function ArgumentsEditor({
  toolCall: { toolName, args },
  edit: { text, problem },
  onChange,
}: ArgumentsEditorProps) {
  const label = `Arguments of ${toolName}`;
  if (text === undefined || !onChange)
    return (
      <div className="arguments">
        <JsonView value={args} label={label} />
        {onChange && (
          <Button slim variant="quiet" onClick={() => onChange({ text: formatJson(args) })}>
            <Pencil size={13} aria-hidden /> Edit
          </Button>
        )}
      </div>
    );
  return (
    <div className="stack">
      <textarea
        className="input mono"
        aria-label={label}
        aria-invalid={problem !== undefined}
        spellCheck={false}
        rows={Math.min(14, text.split('\n').length + 1)}
        value={text}
        onChange={({ target }) => onChange(editArguments(target.value, args))}
      />
      <div className="row small">
        <span className={problem === undefined ? 'muted' : 'problem'}>
          {problem ?? 'Every guard of the call judges the edited arguments.'}
        </span>
        <Button slim variant="quiet" onClick={() => onChange(UNEDITED)}>
          Discard the edit
        </Button>
      </div>
    </div>
  );
}
