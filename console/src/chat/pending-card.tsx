import type { ShownPending } from '@millrace/contracts';
import { CircleHelp, ShieldQuestion } from 'lucide-react';
import { useId, useState } from 'react';
import type { Settlement } from '../api/operations.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/feedback.tsx';
import { formatAgo } from '../ui/format.ts';
import { ArgumentsEditor } from './arguments-editor.tsx';
import { UNEDITED, type ArgumentsEdit } from './arguments-edit.ts';
import { chooseForm, readChoices, readQuestion } from '../runs/pending-item.ts';

type PendingProps = {
  item: ShownPending;
  /** Absent: the session has no right to answer. */
  onSettle: ((settlement: Settlement) => Promise<void>) | undefined;
  /** Operators may edit the arguments of a call that they approve. */
  isOperator: boolean;
};

/** One question or approval of a suspended run. */
export function PendingCard({ item, onSettle, isOperator }: PendingProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const settle = async (settlement: Settlement) => {
    if (!onSettle) return;
    setBusy(true);
    setError(undefined);
    await onSettle(settlement).catch((thrown: unknown) => {
      setError(thrown);
      setBusy(false);
    });
  };
  const form = chooseForm(item);
  const Icon = item.kind === 'approval' ? ShieldQuestion : CircleHelp;
  return (
    <section className="pending" aria-label={item.kind === 'approval' ? 'Approval' : 'Question'}>
      <header>
        <Icon size={16} aria-hidden />
        <strong>{item.kind === 'approval' ? 'Waits for an approval' : 'Waits for an answer'}</strong>
        <span className="muted small">
          {item.by} · expires {formatAgo(Date.parse(item.expiresAt), Date.now())}
        </span>
      </header>
      <p>{readQuestion(item.payload)}</p>
      {error !== undefined && <ErrorNotice error={error} />}
      {!onSettle && <p className="small muted">An operator has to decide. This page continues by itself.</p>}
      {form === 'program' && (
        <p className="small muted">The program of the caller executes this call and answers with its result.</p>
      )}
      {onSettle && form === 'text' && <TextAnswer item={item} isBusy={isBusy} settle={settle} />}
      {onSettle && form === 'decision' && (
        <Decision item={item} isBusy={isBusy} settle={settle} canEdit={isOperator && item.kind === 'approval'} />
      )}
    </section>
  );
}

type FormProps = { item: ShownPending; isBusy: boolean; settle: (settlement: Settlement) => Promise<void> };

function TextAnswer({ item, isBusy, settle }: FormProps) {
  const [text, setText] = useState('');
  const choices = readChoices(item.payload);
  const id = useId();
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void settle({ data: text.trim() });
      }}
    >
      {choices.length > 0 && (
        <div className="row">
          {choices.map((choice) => (
            <Button key={choice} slim disabled={isBusy} onClick={() => void settle({ data: choice })}>
              {choice}
            </Button>
          ))}
        </div>
      )}
      <div className="row">
        <label htmlFor={id} className="sr-only">
          Answer
        </label>
        <input
          id={id}
          className="input grow"
          placeholder="Answer"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" variant="primary" disabled={isBusy || text.trim() === ''}>
          Answer
        </Button>
      </div>
    </form>
  );
}

type DecisionProps = FormProps & { canEdit: boolean };

function Decision({ item: { toolCall }, isBusy, settle, canEdit }: DecisionProps) {
  const [reason, setReason] = useState('');
  const [edit, setEdit] = useState<ArgumentsEdit>(UNEDITED);
  const extra = reason.trim() === '' ? {} : { reason: reason.trim() };
  const approve = () => void settle({ data: { approved: true, ...extra }, ...(edit.args && { args: edit.args }) });
  return (
    <div className="stack">
      {toolCall && <ArgumentsEditor toolCall={toolCall} edit={edit} onChange={canEdit ? setEdit : undefined} />}
      <div className="row">
        <Button variant="primary" disabled={isBusy || edit.problem !== undefined} onClick={approve}>
          {edit.args === undefined ? 'Approve' : 'Approve the edited call'}
        </Button>
        <Button variant="danger" disabled={isBusy} onClick={() => void settle({ data: { approved: false, ...extra } })}>
          Deny
        </Button>
        <input
          className="input grow"
          aria-label="Reason"
          placeholder="Reason of a denial, for the model"
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </div>
    </div>
  );
}
