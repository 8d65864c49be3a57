// Two texts with their differences marked.
import { diffLines, diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';
import './diff-view.css';

type DiffProps = { before: string; after: string; label: string; by?: 'words' | 'lines' };

/** Longer texts are compared by lines, because a comparison by words grows with the square of the length. */
const MAX_WORD_CHARS = 20_000;

export function DiffView({ before, after, label, by = 'words' }: DiffProps) {
  const parts = useMemo(() => {
    const isLong = before.length + after.length > MAX_WORD_CHARS;
    return by === 'lines' || isLong ? diffLines(before, after) : diffWordsWithSpace(before, after);
  }, [before, after, by]);
  return (
    <pre className="code diff" role="region" aria-label={label} tabIndex={0}>
      {parts.map(({ value, added, removed }, at) =>
        added ? <ins key={at}>{value}</ins> : removed ? <del key={at}>{value}</del> : <span key={at}>{value}</span>,
      )}
    </pre>
  );
}
