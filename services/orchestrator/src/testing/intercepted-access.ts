// Runs a part of a test at an exact point of an operation: before a read or a write of the real server.
import type { JetStreamAccess } from '@millrace/bus';
import { MillraceError } from '@millrace/contracts';

/** Runs `intercept` once, before the first read of a subject that includes `part`. */
export function beforeReading(
  access: JetStreamAccess,
  part: string,
  intercept: () => Promise<unknown>,
): JetStreamAccess {
  const { streams } = access.jsm;
  let waits = true;
  const getMessage = async (...args: Parameters<typeof streams.getMessage>) => {
    if (waits && JSON.stringify(args[1]).includes(part)) {
      waits = false;
      await intercept();
    }
    return streams.getMessage(...args);
  };
  const intercepted = Object.create(streams, { getMessage: { value: getMessage } });
  return { ...access, jsm: Object.create(access.jsm, { streams: { value: intercepted } }) };
}

/** Runs `intercept` once, before the first write to a subject that includes `part`. */
export function beforeWriting(
  access: JetStreamAccess,
  part: string,
  intercept: () => Promise<unknown>,
): JetStreamAccess {
  let waits = true;
  const publish: typeof access.js.publish = async (subject, ...more) => {
    if (waits && subject.includes(part)) {
      waits = false;
      await intercept();
    }
    return access.js.publish(subject, ...more);
  };
  return { ...access, js: Object.create(access.js, { publish: { value: publish } }) };
}

/** Refuses every command. */
export function withFullQueue(access: JetStreamAccess): JetStreamAccess {
  const nextSubject = () => {
    throw new MillraceError('queue-full', 'The queue is full.', { remedy: 'Retry.' });
  };
  return { ...access, runShards: Object.create(access.runShards, { nextSubject: { value: nextSubject } }) };
}
