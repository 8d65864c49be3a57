// Whether the gateway answered the last request.

let isReachable = true;
const listeners = new Set<() => void>();

export function reportReachable(next: boolean): void {
  if (next === isReachable) return;
  isReachable = next;
  listeners.forEach((listener) => listener());
}

/** Calls the listener after each change. Returns the function that removes it. */
export function onReachability(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const readReachable = (): boolean => isReachable;
