// Bounds the bytes of the bodies that arrive at the same time: a caller that sends slowly holds the memory of its body.

/** Bodies of the maximum size that arrive at the same time, of one account and of all. */
const ACCOUNT_BODIES = 16;
const ALL_BODIES = 64;

export type BodyBudget = {
  /** Reserves the bytes of a body. Returns a function that frees them, or undefined if the account or the process has no room. */
  reserve(account: string, bytes: number): (() => void) | undefined;
};

/** @param maxBytes maximum size of one body */
export function createBodyBudget(maxBytes: number): BodyBudget {
  const reserved = new Map<string, number>();
  let total = 0;
  return {
    reserve(account, bytes) {
      const own = reserved.get(account) ?? 0;
      if (own + bytes > ACCOUNT_BODIES * maxBytes || total + bytes > ALL_BODIES * maxBytes) return undefined;
      reserved.set(account, own + bytes);
      total += bytes;
      let isFree = false;
      return () => {
        if (isFree) return;
        isFree = true;
        total -= bytes;
        const left = (reserved.get(account) ?? bytes) - bytes;
        if (left > 0) reserved.set(account, left);
        else reserved.delete(account);
      };
    },
  };
}
