import { MillraceError } from '@millrace/contracts';

/** Rejects names that occur twice: a call would reach only one of the two. @throws processor-invalid */
export function refuseDuplicates(kind: 'processor' | 'tool', names: readonly string[]): void {
  const name = names.find((one, at) => names.indexOf(one) !== at);
  if (name === undefined) return;
  throw new MillraceError('processor-invalid', `The service has two ${kind}s of the name "${name}".`, {
    path: name,
    remedy: 'Rename one of them, or remove it from the service.',
  });
}
