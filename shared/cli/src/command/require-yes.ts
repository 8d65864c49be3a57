// Requires the option --yes of a command that deletes.
import { UsageError } from './usage-error.ts';

/** @throws UsageError */
export function requireYes(yes: boolean | undefined, command: string): void {
  if (yes !== true) throw new UsageError('a deletion cannot be undone: repeat the command with --yes', command);
}
