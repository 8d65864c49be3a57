// Lists the errors, one per line: passed attacks, stopped benign texts, missed personal data and false hits.
import type { JudgedSample } from './judge-samples.ts';
import type { FoundSpan } from './read-verdicts.ts';

const MAX_SHOWN = 160;

export function renderMisses(judged: readonly JudgedSample[]): string {
  return judged.flatMap(listMisses).join('\n');
}

function listMisses({ sample, judgement, spans }: JudgedSample): string[] {
  const { place, text, label } = sample;
  const lines: string[] = [];
  if (label === 'attack' && !judgement.isCaught) lines.push(`${place}: passed: ${quoteText(text)}`);
  if (label === 'benign' && judgement.isCaught)
    lines.push(`${place}: false alarm (${judgement.rules.join(', ')}): ${quoteText(text)}`);
  const listSpans = (kind: string, some: readonly FoundSpan[]) =>
    some.map(({ type, start, end }) => `${place}: ${type} ${kind}: ${quoteText(text.slice(start, end))}`);
  return [
    ...lines,
    ...listSpans('missed', spans?.missed ?? []),
    ...listSpans('where there is none', spans?.wrong ?? []),
  ];
}

/** Escapes line breaks and terminal control characters. */
function quoteText(text: string): string {
  const plain = JSON.stringify(text).slice(1, -1);
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…` : plain;
}
