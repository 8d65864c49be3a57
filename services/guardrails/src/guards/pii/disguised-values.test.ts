// Tests disguised personal data that a plain search misses, and harmless texts with a similar form.
import { describe, expect, test } from 'vitest';
import { preparePii } from './find-pii.ts';
import { piiOptions } from './pii-options.ts';
import { PII_TYPES } from './pii-types.ts';

const find = preparePii(piiOptions.parse({ types: [...PII_TYPES], strict: true }));
const findValues = (text: string) =>
  find([text]).flatMap(([hits = []]) => hits.map(({ rule, start, end }) => `${rule} ${text.slice(start, end)}`));

describe('disguised values that pii finds whole', () => {
  test.each<[text: string, ...hits: string[]]>([
    ['𝟒𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏', 'card 𝟒𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏'],
    ['৪১১১ ১১১১ ১১১১ ১১১১', 'card ৪১১১ ১১১১ ১১১১ ১১১১'],
    ['๔๑๑๑๑๑๑๑๑๑๑๑๑๑๑๑', 'card ๔๑๑๑๑๑๑๑๑๑๑๑๑๑๑๑'],
    ['④①①①①①①①①①①①①①①①', 'card ④①①①①①①①①①①①①①①①'],
    ['❹❶❶❶❶❶❶❶❶❶❶❶❶❶❶❶', 'card ❹❶❶❶❶❶❶❶❶❶❶❶❶❶❶❶'],
    ['⁴¹¹¹ ¹¹¹¹ ¹¹¹¹ ¹¹¹¹', 'card ⁴¹¹¹ ¹¹¹¹ ¹¹¹¹ ¹¹¹¹'],
    [
      `${'4111111111111111'.replace(/./g, '$&\ufe0f\u20e3')}.`,
      `card ${'4111111111111111'.replace(/./g, '$&\ufe0f\u20e3')}`,
    ],
    ['4\u200b111\u2060111\u00ad111111111', 'card 4\u200b111\u2060111\u00ad111111111'],
    ['ada@exam\u200bple.com', 'email ada@exam\u200bple.com'],
    ['ada﹫example.com', 'email ada﹫example.com'],
    ['𝐚𝐝𝐚@𝐞𝐱𝐚𝐦𝐩𝐥𝐞.𝐜𝐨𝐦', 'email 𝐚𝐝𝐚@𝐞𝐱𝐚𝐦𝐩𝐥𝐞.𝐜𝐨𝐦'],
    ['ada@example。com', 'email ada@example。com'],
    ['ada&#64;example&period;com', 'email ada&#64;example&period;com'],
    ['&#x34;111&#32;1111 1111 1111', 'card &#x34;111&#32;1111 1111 1111'],
    [String.raw`ada\u0040example.com`, String.raw`email ada\u0040example.com`],
    [String.raw`{"n":"\u0034111 1111 1111 1111"}`, String.raw`card \u0034111 1111 1111 1111`],
    [String.raw`\\u0034111 1111 1111 1111`, String.raw`card \\u0034111 1111 1111 1111`],
    ['%34111%201111%201111%201111', 'card %34111%201111%201111%201111'],
    ['ada [at] example.com', 'email ada [at] example.com'],
    ['ada (at) example (dot) com', 'email ada (at) example (dot) com'],
    ['ada{at}example[dot]co[dot]uk', 'email ada{at}example[dot]co[dot]uk'],
    ['"ada"@example.com', 'email "ada"@example.com'],
    ['ada@[93.184.216.34]', 'email ada@[93.184.216.34]'],
    ['4111_1111_1111_1111', 'card 4111_1111_1111_1111'],
    ['4111,1111,1111,1111', 'card 4111,1111,1111,1111'],
    ['| 4111 | 1111 | 1111 | 1111 |', 'card 4111 | 1111 | 1111 | 1111'],
    ['4111·1111·1111·1111', 'card 4111·1111·1111·1111'],
    ['**4111** **1111** **1111** **1111**', 'card 4111** **1111** **1111** **1111'],
    ['4111 1111\n1111 1111', 'card 4111 1111\n1111 1111'],
    ['["4111","1111","1111","1111"]', 'card 4111","1111","1111","1111'],
    ['card4111111111111111', 'card 4111111111111111'],
    ['4111111111111111abc', 'card 4111111111111111'],
    ['3782_822463_10005', 'card 3782_822463_10005'],
    ['DE89.3704.0044.0532.0130.00', 'iban DE89.3704.0044.0532.0130.00'],
    ['DE89 3704 0044\n0532 0130 00', 'iban DE89 3704 0044\n0532 0130 00'],
    ['123_45_6789', 'ssn 123_45_6789'],
    ['ssn: 12345678', 'ssn 12345678'],
    ['SSN 012-34-5678', 'ssn 012-34-5678'],
    ['012-34-5678', 'ssn 012-34-5678'],
    ['060412345674', 'card 060412345674'],
    ['call 555-123-4567 x89 or', 'phone 555-123-4567 x89'],
    ['(555)123-4567x1234', 'phone (555)123-4567x1234'],
    ['001-555-123-4567 ext. 12', 'phone 001-555-123-4567 ext. 12'],
    ['Phone:\n60-56-85-91', 'phone 60-56-85-91'],
    ['The phone number of our office is 99 672459.', 'phone 99 672459'],
    ['612 34 56 78', 'phone 612 34 56 78'],
    ['(11) 4234-5678', 'phone (11) 4234-5678'],
    ['电话：13812345678', 'phone 13812345678'],
    ['62-70-56-12 (fax)', 'phone 62-70-56-12'],
    ['see https://example.com/a?b=1,c;d=[2].', 'url https://example.com/a?b=1,c;d=[2]'],
    ['(see http://www.example.org/x)', 'url http://www.example.org/x'],
    ['at www.example.org, or', 'url www.example.org'],
  ])('pii finds %j', (text, ...hits) => expect(findValues(text)).toEqual(hits));
});

describe('texts without personal data', () => {
  test.each([
    'the mask is 255.255.255.0, or 255.255.240.0',
    'ping 127.0.0.1 and 192.168.178.1',
    '10.0.0.1, 127.0.0.1, 172.16.5.4, 192.168.1.1, 169.254.1.1 and 0.0.0.0',
    '192.0.2.1, 198.51.100.7, 203.0.113.9, fe80::1ff:fe23:4567:890a, 2001:db8::8a2e:370:7334',
    'OID 1.3.6.1.4.1.311 and 1.2.840.113549.1.1.11, oid 1.3.6.1',
    '00000010: 4865 6c6c 6f20 776f 726c 6421 0a00 0123  Hello',
    '0000000 0102 0304 0506 0708 090a 0b0c',
    'Springfield, IL 62704-1234 and Boston, MA 02134-1234',
    '[4100, 5200, 3300, 4801, 4800, 9999]',
    '| 4100 | 5200 | 3300 | 4807 | 1200 |',
    '2019, 2020, 2021, 2022',
    'see section [at] the end, at (the) end',
    'a & b &c; 100% of 5%2 \\d+',
  ])('pii finds nothing in %j', (text) => expect(findValues(text)).toEqual([]));
});
