import { describe, expect, test } from 'vitest';
import { preparePii } from './find-pii.ts';
import { piiOptions } from './pii-options.ts';
import { PII_TYPES } from './pii-types.ts';

const find = preparePii(piiOptions.parse({ types: PII_TYPES.filter((type) => type !== 'url'), strict: true }));
const findValues = (text: string) =>
  find([text]).flatMap(([hits = []]) => hits.map(({ rule, start, end }) => `${rule} ${text.slice(start, end)}`));

describe('values that pii finds with strict', () => {
  test.each<[text: string, ...hits: string[]]>([
    ['Write to ada@example.com.', 'email ada@example.com'],
    ['(Ada.Lovelace+x@mail.example.co.uk)', 'email Ada.Lovelace+x@mail.example.co.uk'],
    ['mailto:ada@example.com?subject=x', 'email ada@example.com'],
    ["o'brien@example.com", "email o'brien@example.com"],
    ['q=ada%40example.com&x=1', 'email ada%40example.com'],
    ['ａｄａ＠example.com', 'email ａｄａ＠example.com'],
    ['ada@bücher.de', 'email ada@bücher.de'],
    ['ada@xn--bcher-kva.xn--p1ai', 'email ada@xn--bcher-kva.xn--p1ai'],
    ['call 555-123-4567 now', 'phone 555-123-4567'],
    ['(555) 123-4567', 'phone (555) 123-4567'],
    ['1-800-555-0199', 'phone 1-800-555-0199'],
    ['+1 555 123 4567', 'phone +1 555 123 4567'],
    ['+49 (0)30 123456', 'phone +49 (0)30 123456'],
    ['+442079460958', 'phone +442079460958'],
    ['0049 30 123456', 'phone 0049 30 123456'],
    ['Tel. 030 / 123456', 'phone 030 / 123456'],
    ['020 7946 0958', 'phone 020 7946 0958'],
    ['my number is 06 12 34 56 78, ok', 'phone 06 12 34 56 78'],
    ['phone: 5551234567', 'phone 5551234567'],
    ['call me at 555-0199', 'phone 555-0199'],
    ['1. 030 123456', 'phone 030 123456'],
    ['4111 1111 1111 1111', 'card 4111 1111 1111 1111'],
    ['4111-1111-1111-1111,', 'card 4111-1111-1111-1111'],
    ['card=4111111111111111;', 'card 4111111111111111'],
    ['378282246310005', 'card 378282246310005'],
    ['3782 822463 10005', 'card 3782 822463 10005'],
    ['6304000000000000000', 'card 6304000000000000000'],
    ['pay 4111 1111 1111 1111 123 soon', 'card 4111 1111 1111 1111'],
    ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', 'card 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'],
    ['４１１１ １１１１ １１１１ １１１１', 'card ４１１１ １１１１ １１１１ １１１１'],
    ['4111\u00a01111\u20111111\u200b1111', 'card 4111\u00a01111\u20111111\u200b1111'],
    [String.raw`{"note":"card:\n4111111111111111"}`, 'card 4111111111111111'],
    ['my SSN is 123-45-6789.', 'ssn 123-45-6789'],
    ['123 45 6789', 'ssn 123 45 6789'],
    ['social security number: 123456789', 'ssn 123456789'],
    ['"ssn":"123456789"', 'ssn 123456789'],
    ['IBAN DE89 3704 0044 0532 0130 00 and more', 'iban DE89 3704 0044 0532 0130 00'],
    ['GB29NWBK60161331926819', 'iban GB29NWBK60161331926819'],
    ['gb29 nwbk 6016 1331 9268 19', 'iban gb29 nwbk 6016 1331 9268 19'],
    ['MT84 MALT 0110 0001 2345 MTLC AST0 01S', 'iban MT84 MALT 0110 0001 2345 MTLC AST0 01S'],
    ['from 93.184.216.34:8080', 'ip 93.184.216.34'],
    ['http://[2a00:1450::1]/', 'ip 2a00:1450::1'],
    ['seen at 81[.]2[.]69[.]142 and 81(.)2(.)69(.)142', 'ip 81[.]2[.]69[.]142', 'ip 81(.)2(.)69(.)142'],
    ['電話は+81 3-1234-5678です', 'phone +81 3-1234-5678'],
    ['::ffff:93.184.216.34', 'ip ::ffff:93.184.216.34'],
    ['2a02:26f0::fe23:4567:890a', 'ip 2a02:26f0::fe23:4567:890a'],
    ['postgres://ada:s3cret@db.example.com:5432/x', 'url-credentials ada:s3cret@db.example.com:5432'],
    ['https://u:p;a=s@s@host/x', 'url-credentials u:p;a=s@s@host'],
    ['https://tok3n@git.example.com/x', 'url-credentials tok3n@git.example.com'],
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'crypto-wallet 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'crypto-wallet bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
    ['0x52908400098527886E0F7030069857D2E4169EE7', 'crypto-wallet 0x52908400098527886E0F7030069857D2E4169EE7'],
    ['id 123e4567-e89b-12d3-a456-426614174000', 'uuid 123e4567-e89b-12d3-a456-426614174000'],
    ['born on the 3rd of March, 1980 in Rome', 'date-of-birth 3rd of March, 1980'],
    ['DOB: 03/04/80', 'date-of-birth 03/04/80'],
    ['Her date of birth is March 3, 1980', 'date-of-birth March 3, 1980'],
    ['{"birth_date":"1980-01-02"}', 'date-of-birth 1980-01-02'],
    ['geboren am 3. März 1980', 'date-of-birth 3. März 1980'],
    ['key sk-proj-abcDEF1234567890abcdef', 'api-key sk-proj-abcDEF1234567890abcdef'],
    ['AKIAIOSFODNN7QWERTYU', 'api-key AKIAIOSFODNN7QWERTYU'],
    ['ghp_0123456789abcdefghijABCDEFGHIJ012345', 'api-key ghp_0123456789abcdefghijABCDEFGHIJ012345'],
    ['api_key = "abcd1234efgh5678ijkl"', 'api-key abcd1234efgh5678ijkl'],
    ['mail a@b.io or call 555-123-4567', 'email a@b.io', 'phone 555-123-4567'],
  ])('pii finds %s', (text, ...hits) => expect(findValues(text)).toEqual(hits));
});

describe('texts without personal data', () => {
  test.each([
    '17 * 23 = 391',
    'It costs $1,234.56, or 1.299,00 € for 3.',
    'Order 1002003004 of 2024-01-15 was sent at 10:30:00.',
    'Order number 98765432 and invoice INV-2024-000123',
    '2024-01-15T10:30:00.123Z and 02-03-2024, 15.01.2024, 1/15/24',
    'version 1.2.3.4, v2.10.0 and node 24.21.0',
    'lodash@4.17.21, icon@2x.png, @scope/pkg@1.0.0-beta.rc',
    'git@github.com:millrace/millrace.git',
    'ssh://git@example.com/x',
    'std::vector and a::b, x[1::2], ::1',
    '00:1A:2B:3C:4D:5E',
    '0.30000000000000004 and 3.14159265358979323846',
    'createdAt: 1732150800000, 20240115103000',
    '2019 2020 2021 2022',
    '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16',
    '71256/29091701',
    'ISBN 978-0-306-40615-7 and 9780306406157',
    'the years 1980-2020, pages 100-2000',
    '0.25 0.50 0.75 1.00',
    'commit 14a84724e6647d0c1e2f3a4b5c6d7e8f90123456',
    'https://example.com/a/b?c=1&d=2#e',
    'I was born in Rome. The meeting is on 3 March 2025 at noon, in the large room on the second floor.',
    'sk-learn-contrib-imbalanced-learn',
    'You can reach 1000000 users; call the function 1234567 times',
    'F(10) = 55; 6! = 720; 2^10 = 1024',
    '100,000,000 people in 195 countries',
  ])('pii finds nothing in %s', (text) => expect(findValues(text)).toEqual([]));
});

describe('overlapping hits', () => {
  test("overlapping hits become one hit of the longest one's type", () => {
    expect(findValues('https://ada:ada@example.com/')).toEqual(['url-credentials ada:ada@example.com']);
  });
});
