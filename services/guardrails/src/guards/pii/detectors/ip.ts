// IP addresses of both versions that belong to public hosts; private, loopback and documentation addresses are no hits.
// Also no hits: "Version 1.2.3.4", object identifiers, `::1`, `a::b` (code) and slices such as [1::2].
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { takeTextBefore, versionBefore } from '../context-words.ts';
import { findPattern, type Detector } from '../pii-types.ts';

/** The dots may be in brackets, a common way to disable the link. */
const dotted = /(?<![\w.]|[A-Za-z]-|\.-)(?:\d{1,3}(?:\.|\[\.\]|\(\.\))){3}\d{1,3}(?!\w|\.\d|-\d)/g;
const bracketedDot = /[[(]\.[\])]/g;
const coloned =
  /(?<![\w:.])(?=[0-9a-f:]{0,39}:[0-9a-f]{0,4}:)[0-9a-f:]{2,39}(?:(?<=:)(?:\d{1,3}\.){3}\d{1,3})?(?![\w:])/gi;
/** A group length of a real address that slices and scopes in code do not have. */
const longGroup = /[0-9a-f]{3}/i;

/** Networks without public hosts: RFC 6890 and its registries. */
const nobodys = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Netmasks and the broadcast address.
  ['255.0.0.0', 8],
] as const)
  nobodys.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['2001:db8::', 32],
] as const)
  nobodys.addSubnet(net, bits, 'ipv6');

export const ip: Detector = {
  type: 'ip',
  detect: ({ text }) => [
    ...findPattern('ip', text, dotted, ({ 0: found, index }) => {
      const address = found.replace(bracketedDot, '.');
      return isIPv4(address) && !nobodys.check(address, 'ipv4') && !versionBefore.test(takeTextBefore(text, index));
    }),
    ...findPattern(
      'ip',
      text,
      coloned,
      ({ 0: found }) => isIPv6(found) && longGroup.test(found) && !nobodys.check(found, 'ipv6'),
    ),
  ],
};
