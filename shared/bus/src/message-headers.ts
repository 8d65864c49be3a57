// Makes and reads headers of messages.
import { headers, type Msg, type MsgHdrs } from 'nats';

export function makeHeaders(values: Readonly<Record<string, string>>): MsgHdrs {
  const made = headers();
  for (const [name, value] of Object.entries(values)) made.set(name, value);
  return made;
}

/** Returns the first value of a header; undefined if the message has none of that name. */
export function readHeader({ headers: given }: Pick<Msg, 'headers'>, name: string): string | undefined {
  return given?.has(name) ? given.get(name) : undefined;
}
