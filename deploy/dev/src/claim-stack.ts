// One stack per checkout. The claim is a file that names its process and that process' start time: a second `npm start` sees
// that the first one lives, and a claim left by a killed one is taken over, its stack.json removed.
import { claimStore, ServerError } from '@millrace/servers';
import type { StateDir } from './state-dir.ts';
import { readStack, removeStack, type StackFile } from './stack-file.ts';

export type StackClaim =
  | { kind: 'ours'; release(): Promise<void> }
  /** `stack` is absent while the other one is still starting. */
  | { kind: 'taken'; stack: StackFile | undefined };

const CLAIM_NAME = 'npm-start';

export async function claimStack(state: StateDir): Promise<StackClaim> {
  try {
    const claim = await claimStore(state.root, CLAIM_NAME);
    await removeStack(state.stackFile);
    return { kind: 'ours', release: () => claim.release() };
  } catch (error) {
    if (!(error instanceof ServerError) || error.code !== 'store-in-use') throw error;
    return { kind: 'taken', stack: await readStack(state.stackFile) };
  }
}
