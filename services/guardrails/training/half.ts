// Which half of a sample a text is in: by its hash, so that it stays there whatever is added.
import { createHash } from 'node:crypto';

/** Whether people and training may read it; what is said of the others is said of texts that nobody has read. */
export const isLookedAt = (text: string): boolean => (createHash('sha256').update(text).digest()[0] ?? 0) % 2 === 0;
