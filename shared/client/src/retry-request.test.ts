import { MillraceError, type ErrorCode } from '@millrace/contracts';
import { createCollectedLog } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { retryRequest } from './retry-request.ts';

test.each(['run-exists', 'of-tomorrow', 'constructor'])(
  'A request that fails with %s is not repeated',
  async (code) => {
    let asked = 0;
    const failing = async () => {
      asked += 1;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a code as another version may answer it
      throw new MillraceError(code as ErrorCode, 'no');
    };
    const { signal } = new AbortController();
    await expect(retryRequest('asking', createCollectedLog(), signal, failing)).rejects.toMatchObject({ code });
    expect(asked).toBe(1);
  },
);
