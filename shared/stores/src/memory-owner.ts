// Who owns what a memory keeps: the run's resource; where the run names none, its thread. Two owners never have one key, whatever
// they are called.

// Names that callers may give to resources hold no space, but nothing here depends on that.
const THREAD = ' thread:';
const RESOURCE = ' resource:';

export function memoryOwner({ threadId, resourceId }: { threadId: string; resourceId?: string | undefined }): string {
  return resourceId === undefined ? ownerOfThread(threadId) : ownerOfResource(resourceId);
}

/** A resource's key is its name, so that a person finds it in the store. */
export function ownerOfResource(resourceId: string): string {
  return resourceId.startsWith(' ') ? `${RESOURCE}${resourceId}` : resourceId;
}

/** Of a thread that has no resource. */
export function ownerOfThread(threadId: string): string {
  return `${THREAD}${threadId}`;
}

/** The resource that a key names; undefined where a thread owns itself. */
export function resourceOf(owner: string): string | undefined {
  if (owner.startsWith(THREAD)) return undefined;
  return owner.startsWith(RESOURCE) ? owner.slice(RESOURCE.length) : owner;
}
