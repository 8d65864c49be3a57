// JetStream with the project's streams, for the tests of a file.
import { ensureTopology, openJetStream, type JetStreamAccess } from '@millrace/bus';
import type { TestBus } from '@millrace/testkit';
import { beforeAll } from 'vitest';

export type TestJetStream = { readonly access: JetStreamAccess };

/** Call it after useBus. */
export function useJetStream(connection: TestBus): TestJetStream {
  let access: JetStreamAccess | undefined;
  beforeAll(async () => {
    access = await openJetStream(connection.bus);
    await ensureTopology(access);
  });
  return {
    get access() {
      if (!access) throw new Error('useJetStream: it is there only while the tests run');
      return access;
    },
  };
}
