// Formats a processor for `millrace processors show`. Pure.
import { LIST_OF_STAGE, listOptionRows, type OptionRow, type ReadsByStage } from '@millrace/contracts';
import type { ProcessorInfo } from '@millrace/client';
import { makePrintable } from '../command/printable.ts';

export function formatProcessor(processor: ProcessorInfo): string {
  const { id, version, service, replicas, description, aliases, stages, reads, policy, optionsSchema } = processor;
  const lines = [
    `processor: ${id} ${version}`,
    `service: ${service}, ${replicas.length === 1 ? 'one replica' : `${replicas.length} replicas`}`,
    `description: ${description}`,
    `stages: ${stages.map((stage) => `${stage} (${LIST_OF_STAGE[stage]})`).join(', ')}`,
    `reads: ${formatReads(reads)}`,
    `policy: ${formatPolicy(policy)}`,
    ...(aliases.length > 0 ? [`aliases: ${aliases.join(', ')}`] : []),
  ];
  const options = listOptionRows(optionsSchema).map(formatOption);
  const formatNames = options.length > 0 ? ['', 'options:', ...options] : ['options: none'];
  return makePrintable([...lines, ...formatNames].join('\n'));
}

function formatOption({ name, type, required, fallback, meaning }: OptionRow): string {
  const given = required ? ', required' : fallback === undefined ? '' : `, by default ${fallback}`;
  return [`  ${name}: ${type}${given}`, ...(meaning === '' ? [] : [`      ${meaning}`])].join('\n');
}

export const formatPolicy = ({ timeoutMs, attempts, onFailure, addedTimeout }: ProcessorInfo['policy']): string =>
  `${timeoutMs}${addedTimeout ? ` + ${addedTimeout.option}` : ''} ms × ${attempts}, ${onFailure}`;

function formatReads(reads: ReadsByStage): string {
  const listEntries = (names: readonly string[]) => (names.length > 0 ? names.join(', ') : 'no messages');
  if (Array.isArray(reads)) return listEntries(reads);
  return Object.entries(reads)
    .map(([stage, names]) => `${stage}: ${listEntries(names)}`)
    .join('; ');
}
