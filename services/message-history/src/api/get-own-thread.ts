// The check of a verb that its caller has a thread.
import type { Thread } from '@millrace/contracts';
import type { MemoryCaller } from '@millrace/stores';

/** @throws thread-unknown, also for a thread of another caller */
export type GetOwnThread = (threadId: string, call: MemoryCaller) => Promise<Thread>;
