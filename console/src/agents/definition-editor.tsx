// The definition of an agent as YAML: checked by the orchestrator while it is edited, compared with the applied one,
// and applied.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AppliedAgent } from '@millrace/contracts';
import { useMemo, useState } from 'react';
import { applyAgent } from '../api/agents.ts';
import { Button } from '../ui/button.tsx';
import { DiffView } from '../ui/diff-view.tsx';
import { ErrorNotice } from '../ui/feedback.tsx';
import { formatPlural } from '../ui/format.ts';
import { Badge } from '../ui/status.tsx';
import { readDefinition, writeDefinition } from './agent-yaml.ts';
import { useChecked } from './use-checked.ts';
import { YamlEditor } from './yaml-editor.tsx';

type DefinitionEditorProps = { name: string; applied: AppliedAgent | undefined; canApply: boolean };

export function DefinitionEditor({ name, applied, canApply }: DefinitionEditorProps) {
  const original = useMemo(() => writeDefinition(name, applied?.agent), [name, applied]);
  const [text, setText] = useState(original);
  const [isCompared, setCompared] = useState(false);
  const client = useQueryClient();
  const checked = useChecked(name, text, canApply);
  const applying = useMutation({
    mutationFn: () => applyAgent(name, readDefinition(text).definition, false),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['agent', name] });
      await client.invalidateQueries({ queryKey: ['agents'] });
    },
  });
  const isChanged = text !== original || !applied;
  const { issues, warnings, isChecking } = checked;
  return (
    <div className="card">
      <header className="card-head">
        <h2>Definition</h2>
        {!canApply ? (
          <Badge plain>read only</Badge>
        ) : isChecking ? (
          <span className="muted small">checking…</span>
        ) : issues.length > 0 ? (
          <Badge tone="bad">{formatPlural(issues.length, 'problem')}</Badge>
        ) : (
          <Badge tone="ok">valid</Badge>
        )}
        <span className="push row">
          {applied && (
            <Button slim aria-pressed={isCompared} disabled={!isChanged} onClick={() => setCompared(!isCompared)}>
              {isCompared ? 'Edit' : 'Compare with the applied one'}
            </Button>
          )}
          {canApply && (
            <Button
              slim
              variant="primary"
              disabled={!isChanged || isChecking || issues.length > 0 || applying.isPending}
              onClick={() => applying.mutate()}
            >
              Apply
            </Button>
          )}
        </span>
      </header>
      {applying.error && (
        <div className="card-body">
          <ErrorNotice error={applying.error} />
        </div>
      )}
      {isCompared && isChanged ? (
        <DiffView by="lines" before={original} after={text} label="Differences from the applied definition" />
      ) : (
        <YamlEditor text={text} onChange={setText} issues={issues} isReadOnly={!canApply} />
      )}
      {(issues.length > 0 || warnings.length > 0) && (
        <ul className="issues">
          {issues.map(({ message, line }) => (
            <li key={`${line} ${message}`}>
              <span className="number muted">Line {line}</span> {message}
            </li>
          ))}
          {warnings.map((warning) => (
            <li key={warning} className="muted">
              Warning: {warning}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
