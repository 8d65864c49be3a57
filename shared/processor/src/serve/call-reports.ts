// Logs the reports of a call on its replica. No line contains the message of an error: it may quote the user or the model.
import { MillraceError } from '@millrace/contracts';
import type { BusLog } from '@millrace/bus';
import type { CallContext } from '../verdict/entry-args.ts';
import { locateThrown } from '../verdict/thrown-error.ts';

/** @param fields of each line: the run, and the stage or the session */
export function createCallReports(log: BusLog, fields: object): Pick<CallContext, 'warn' | 'reportThrown'> {
  return {
    warn: (message) => log.warn(fields, message),
    reportThrown: (entry, error) => {
      const code = MillraceError.isInstance(error) ? { code: error.code } : {};
      log.warn({ ...fields, entry, ...code, ...locateThrown(error) }, 'a processor failed');
    },
  };
}
