// Formats a processor for `millrace processors show`. Pure.
import { LIST_OF_STAGE, optionRows, type OptionRow, type ReadsByStage } from '@millrace/contracts';
import type { ProcessorInfo } from '@millrace/client';
import { printable } from './printable.ts';

export function processorText(processor: ProcessorInfo): string {
  const { id, version, service, replicas, description, aliases, stages, reads, policy, optionsSchema } = processor;
  const lines = [
    `processor: ${id} ${version}`,
    `service: ${service}, ${replicas.length === 1 ? 'one replica' : `${replicas.length} replicas`}`,
    `description: ${description}`,
    `stages: ${stages.map((stage) => `${stage} (${LIST_OF_STAGE[stage]})`).join(', ')}`,
    `reads: ${readsText(reads)}`,
    `policy: ${policyText(policy)}`,
    ...(aliases.length > 0 ? [`aliases: ${aliases.join(', ')}`] : []),
  ];
  const options = optionRows(optionsSchema).map(optionText);
  const formatNames = options.length > 0 ? ['', 'options:', ...options] : ['options: none'];
  return printable([...lines, ...formatNames].join('\n'));
}

function optionText({ name, type, required, fallback, meaning }: OptionRow): string {
  const given = required ? ', required' : fallback === undefined ? '' : `, by default ${fallback}`;
  return [`  ${name}: ${type}${given}`, ...(meaning === '' ? [] : [`      ${meaning}`])].join('\n');
}

export const policyText = ({ timeoutMs, attempts, onFailure, addedTimeout }: ProcessorInfo['policy']): string =>
  `${timeoutMs}${addedTimeout ? ` + ${addedTimeout.option}` : ''} ms × ${attempts}, ${onFailure}`;

function readsText(reads: ReadsByStage): string {
  const listEntries = (names: readonly string[]) => (names.length > 0 ? names.join(', ') : 'no messages');
  if (Array.isArray(reads)) return listEntries(reads);
  return Object.entries(reads)
    .map(([stage, names]) => `${stage}: ${listEntries(names)}`)
    .join('; ');
}
