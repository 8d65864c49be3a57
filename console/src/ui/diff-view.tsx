// Two texts with their differences marked.
import { useMemo } from 'react';
import { compareTexts } from './diff-parts.ts';
import './diff-view.css';

type DiffProps = { before: string; after: string; label: string; by?: 'words' | 'lines' };

export function DiffView({ before, after, label, by = 'words' }: DiffProps) {
  const parts = useMemo(() => compareTexts(before, after, by), [before, after, by]);
  return (
    <pre className="code diff" role="region" aria-label={label} tabIndex={0}>
      {parts.map(({ kind, text }, at) => {
        if (kind === 'added') return <ins key={at}>{text}</ins>;
        if (kind === 'removed') return <del key={at}>{text}</del>;
        return (
          <span key={at} className={kind === 'omitted' ? 'muted' : undefined}>
            {text}
          </span>
        );
      })}
    </pre>
  );
}
