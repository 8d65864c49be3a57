// Names the processors of a merged call in a header of its request, so that a tap or a foreign replica sees all of them
// without the body: the subject has the first one only. Pure.
import { MillraceError } from '../base/errors.ts';

type CalledProcessors = readonly { processor: string }[];

export const PROCESSORS_HEADER = 'Millrace-Processors';

/** Returns the header of a request for these entries. A request for one entry needs none: its subject names the processor. */
export function makeCallHeaders(entries: CalledProcessors): Readonly<Record<string, string>> | undefined {
  return entries.length > 1 ? { [PROCESSORS_HEADER]: listCalled(entries) } : undefined;
}

/**
 * @param subjectProcessor the processor that the subject of the request names
 * @param header the value of the header, or undefined without one
 * @throws message-invalid unless subject and header name exactly the processors of the body
 */
export function checkCalledProcessors(
  entries: CalledProcessors,
  subjectProcessor: string,
  header: string | undefined,
): void {
  const [first] = entries;
  if (first && first.processor !== subjectProcessor) {
    throw new MillraceError('message-invalid', 'The subject names another processor than the first entry.', {
      path: 'entries[0].processor',
      remedy: 'Send the request on the subject of the processor of its first entry.',
    });
  }
  if (header === undefined && entries.length < 2) return;
  if (header === listCalled(entries)) return;
  const problem = header === undefined ? 'is missing' : 'differs from the entries';
  throw new MillraceError('message-invalid', `The header ${PROCESSORS_HEADER} of a request ${problem}.`, {
    path: PROCESSORS_HEADER,
    remedy: 'Send the processor of each entry in it, in order, separated by commas.',
  });
}

const listCalled = (entries: CalledProcessors): string => entries.map(({ processor }) => processor).join(',');
