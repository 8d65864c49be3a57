// Removes variable data from an answer: messages that a processor adds have the time of the call.
export function removeTimes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null, (key, member: unknown) => (key === 'createdAt' ? 'now' : member)));
}
