// The invented keys are assembled from pieces, so that secret scanners do not report this file.
import { describe, expect, test } from 'vitest';
import { prepareSecrets } from './find-secrets.ts';
import { secretsOptions } from './secrets-options.ts';

const find = prepareSecrets(secretsOptions.parse({}));
const findValues = (text: string) =>
  find([text]).flatMap(([hits = []]) => hits.map(({ rule, start, end }) => `${rule} ${text.slice(start, end)}`));

const hex = (length: number) => 'a1b2c3d4e5f60718'.repeat(8).slice(0, length);
const mixLetters = (length: number) => 'Q7xLmZ2pR9vTk4WsY1nB8cHd6FgJ3eUa'.repeat(8).slice(0, length);
const GITHUB = ['gh', 'p_'].join('');
const SLACK = ['hooks', 'slack', 'com'].join('.');
const dash = '-----';
const pem = (kind: string, lines = 4) =>
  [
    `${dash}BEGIN ${kind}${dash}`,
    ...Array.from({ length: lines }, () => mixLetters(64)),
    `${dash}END ${kind}${dash}`,
  ].join('\n');
const jwt = `eyJ${mixLetters(33)}.eyJ${mixLetters(60)}.${mixLetters(43)}`;
const aws = ['AKIA', 'IOSFODNN7QWERTYU'].join('');

describe('values that secrets finds', () => {
  test.each<[text: string, ...hits: string[]]>([
    [pem('RSA PRIVATE KEY'), `private-key ${pem('RSA PRIVATE KEY')}`],
    [`x\n${pem('OPENSSH PRIVATE KEY', 40)}\ny`, `private-key ${pem('OPENSSH PRIVATE KEY', 40)}`],
    [pem('PGP PRIVATE KEY BLOCK'), `private-key ${pem('PGP PRIVATE KEY BLOCK')}`],
    [JSON.stringify({ key: pem('PRIVATE KEY') }), `private-key ${JSON.stringify(pem('PRIVATE KEY')).slice(1, -1)}`],
    [`token ${jwt}, ok`, `jwt ${jwt}`],
    [`Authorization: Bearer ${mixLetters(40)}`, `bearer ${mixLetters(40)}`],
    ['Authorization: Basic YWRhOmxvdmVsYWNlMTIz', 'bearer YWRhOmxvdmVsYWNlMTIz'],
    [`key ${aws}.`, `provider-key ${aws}`],
    [`${GITHUB}${mixLetters(36)}`, `provider-key ${GITHUB}${mixLetters(36)}`],
    [`sk-ant-${mixLetters(40)}`, `provider-key sk-ant-${mixLetters(40)}`],
    [`https://${SLACK}/services/T0${mixLetters(30)}`, `provider-key ${SLACK}/services/T0${mixLetters(30)}`],
    [`hvs.${mixLetters(30)}`, `provider-key hvs.${mixLetters(30)}`],
    [`gsk_${mixLetters(52)}`, `provider-key gsk_${mixLetters(52)}`],
    ['postgres://ada:s3cret@db.example.com/x', 'url-credentials ada:s3cret'],
    ['curl -u ada:l0velace https://api.example.com', 'url-credentials ada:l0velace'],
    [`curl -sSL -X POST --user 'ada:love lace' https://x.example`, 'url-credentials ada:love'],
    ['curl -su "ada:l0velace" https://x.example | jq', 'url-credentials ada:l0velace'],
    [`SRC_ACCESS_TOKEN: sgp_${hex(16)}_${hex(40)}`, `provider-key sgp_${hex(16)}_${hex(40)}`],
    [`sgp_${hex(40)}`, `provider-key sgp_${hex(40)}`],
    [`s-s4t2ud-${hex(64)}`, `provider-key s-s4t2ud-${hex(64)}`],
    [`${mixLetters(76)}AZDO${mixLetters(4)}`, `provider-key ${mixLetters(76)}AZDO${mixLetters(4)}`],
    [`${mixLetters(76)}+AStQ7xLmZ==`, `provider-key ${mixLetters(76)}+AStQ7xLmZ==`],
    [`${mixLetters(42)}AzSeAQ7xLm`, `provider-key ${mixLetters(42)}AzSeAQ7xLm`],
    [`${mixLetters(52)}JQQJ99${mixLetters(26)}`, `provider-key ${mixLetters(52)}JQQJ99${mixLetters(26)}`],
    ['my password is hunter2!', 'named-secret hunter2'],
    ['DB_PASSWORD=p4ss;w0rd', 'named-secret p4ss;w0rd'],
    ['Server=db;Password=p4ssw0rd;Database=x', 'named-secret p4ssw0rd'],
    ['DB_PASSWORD="p4ss;w0rd, and more"', 'named-secret p4ss;w0rd, and more'],
    ['{"password":"hunter2"}', 'named-secret hunter2'],
    [String.raw`{"a":"{\"password\": \"hunter2\"}"}`, 'named-secret hunter2'],
    ['mysql --password hunter2 -u ada', 'named-secret hunter2'],
    ['client_secret: 8f14e45fceea167a', 'named-secret 8f14e45fceea167a'],
    [`aws_secret_access_key = ${mixLetters(40)}`, `named-secret ${mixLetters(40)}`],
    ['| password | hunter2 |', 'named-secret hunter2'],
    ['Passwort: geheim123', 'named-secret geheim123'],
    [`X_SETTING=${mixLetters(32)}`, `high-entropy ${mixLetters(32)}`],
    [`"sealKey": "${mixLetters(32)}"`, `high-entropy ${mixLetters(32)}`],
    ['p\u200bassword: hun\u200bter2', 'named-secret hun\u200bter2'],
  ])('the finder reports %j', (text, ...hits) => expect(findValues(text)).toEqual(hits));
});

describe('values that are no secrets', () => {
  test.each([
    'The password must be at least 8 characters long.',
    'password: required',
    'Reset your password here: https://example.com/reset',
    'password=${DB_PASSWORD} token=$TOKEN key=<your-api-key>',
    'password: process.env.DB_PASSWORD',
    'const token = getToken(request);',
    'api_key=YOUR_API_KEY, secret: xxxxxxxxxxxxxxxx',
    'max_tokens: 4096, "token_count": 123456789012345',
    `commit ${hex(40)} and sha256 ${hex(64)}`,
    `"integrity": "sha512-${mixLetters(86)}=="`,
    'id: 123e4567-e89b-12d3-a456-426614174000',
    'a tokenizer: https://example.com/docs/tokenizer#usage-2024',
    'getUserByIdAndUpdateTimestampNow2 = true',
    pem('PUBLIC KEY'),
    'const passwordField = document.querySelector("#password-field-1")',
    'Bearer tokens are sent in a header.',
    'curl -u username:password https://example.com',
    'curl -u "$USER:$PASSWORD" https://example.com',
    'docker run -u 1000:1000 -v data:/data image',
    'curl https://example.com and docker run image',
    'sk-xxxxxxxxxxxxxxxxxxxxxxxx1',
  ])('the finder ignores %j', (text) => expect(findValues(text)).toEqual([]));
});
