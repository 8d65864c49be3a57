// One line of `millrace doctor`, and the conversion of an error to it.
import { MillraceError } from '@millrace/contracts';

export type Finding = { level: 'ok' | 'warn' | 'fail'; name: string; message: string; remedy?: string | undefined };

/** An error of a check is a finding: the other checks run all the same. */
export async function runCheck(name: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (!MillraceError.isInstance(error)) return [{ level: 'fail', name, message: String(error) }];
    const { code, message, remedy } = error;
    return [{ level: 'fail', name, message: `${message} (${code})`, remedy: remedy ?? chooseRemedy(code) }];
  }
}

function chooseRemedy(code: string): string | undefined {
  if (code === 'permission-denied')
    return 'The key of this terminal has no right to it: `millrace keys` writes the roles.';
  if (code === 'nobody-there' || code === 'timeout') return 'Start the service: npm start, or docker compose up.';
  return undefined;
}
