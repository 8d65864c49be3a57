// What went wrong, a line for each: attacks that passed, benign texts that did not, personal data missed or seen where there is
// none. Pure.
import type { JudgedSample } from './judge-samples.ts';
import type { FoundSpan } from './guards.ts';

const MAX_SHOWN = 160;

export function missesText(judged: readonly JudgedSample[]): string {
  return judged.flatMap(linesOf).join('\n');
}

function linesOf({ sample, judgement, spans }: JudgedSample): string[] {
  const { place, text, label } = sample;
  const lines: string[] = [];
  if (label === 'attack' && !judgement.isCaught) lines.push(`${place}: passed: ${shown(text)}`);
  if (label === 'benign' && judgement.isCaught)
    lines.push(`${place}: false alarm (${judgement.rules.join(', ')}): ${shown(text)}`);
  const told = (kind: string, some: readonly FoundSpan[]) =>
    some.map(({ type, start, end }) => `${place}: ${type} ${kind}: ${shown(text.slice(start, end))}`);
  return [...lines, ...told('missed', spans?.missed ?? []), ...told('where there is none', spans?.wrong ?? [])];
}

/** On one line, without what a terminal would obey. */
function shown(text: string): string {
  const plain = JSON.stringify(text).slice(1, -1);
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…` : plain;
}
