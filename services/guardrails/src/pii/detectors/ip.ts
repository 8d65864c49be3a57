// IP addresses of both versions. "Version 1.2.3.4" is none; `::1`, `a::b` (code) and slices such as [1::2] are none either.
import { isIPv4, isIPv6 } from 'node:net';
import { textBefore, versionBefore } from '../context-words.ts';
import { hitsOf, type Detector } from '../pii-types.ts';

const dotted = /(?<![\w.]|[A-Za-z]-)(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)/g;
const coloned =
  /(?<![\w:.])(?=[0-9a-f:]{0,39}:[0-9a-f]{0,4}:)[0-9a-f:]{2,39}(?:(?<=:)(?:\d{1,3}\.){3}\d{1,3})?(?![\w:])/gi;
/** A group that somebody's address has, and a slice or a scope in code has not. */
const longGroup = /[0-9a-f]{3}/i;

export const ip: Detector = {
  type: 'ip',
  detect: ({ text }) => [
    ...hitsOf(
      'ip',
      text,
      dotted,
      ({ 0: found, index }) => isIPv4(found) && !versionBefore.test(textBefore(text, index)),
    ),
    ...hitsOf('ip', text, coloned, ({ 0: found }) => isIPv6(found) && longGroup.test(found)),
  ],
};
