// Measures each format of a secret on 1,000 random members and 1,000 near misses, and lines of identifiers and data.
// The members are generated, so that secret scanners do not report this file.
import { describe, expect, test } from 'vitest';
import { makePhoneLine, IDENTIFIER_LINES } from '../../testing/number-lines.ts';
import { BASE64, CAPITALS, createLineMaker, DIGITS, HEX, LETTERS, type LineMaker } from '../../testing/random-lines.ts';
import { makeMember } from '../../testing/random-members.ts';
import { prepareSecrets } from './find-secrets.ts';
import { FORMATS } from './provider-keys.ts';
import { secretsOptions } from './secrets-options.ts';

const SEED = 20_261_128;
const COUNT = 1_000;
const FEW = COUNT / 1_000;
const judge = prepareSecrets(secretsOptions.parse({}));
const listHits = (text: string) => judge([text])[0]?.[0] ?? [];
const listMissed = (texts: readonly string[]) => texts.filter((text) => listHits(text).length === 0);
const listTouched = (texts: readonly string[]) => texts.filter((text) => listHits(text).length > 0);
const makeLines = (line: (make: LineMaker) => string): string[] => {
  const make = createLineMaker(SEED);
  return Array.from({ length: COUNT }, () => line(make));
};

/** Returns random members of an expression, without its look-behind. */
const makeMembers = (format: string): string[] =>
  makeLines((make) => makeMember(make, format.replace('(?<=[?&])', '')));

/** Forms that resemble a member: cut off, spelled backwards, of one character, of words. */
const NEAR: Record<string, (member: string) => string> = {
  'cut off': (member) => member.slice(0, 12),
  'of one character': (member) => member.slice(0, 4) + 'x'.repeat(member.length),
  'of words': (member) => `${member.slice(0, 3)}-your-own-key-goes-here`,
  'an example': (member) => `${member.slice(0, 4)}EXAMPLEEXAMPLEEXAMPLE`,
};

describe.each(Object.entries(FORMATS))('the format of %s', (provider, format) => {
  const members = makeMembers(format);
  test(`secrets finds 99.9 % of its random members`, () => {
    const texts = members.map((member) =>
      provider === 'azure-sas' ? `https://x/y?sv=1&${member}` : `use ${member} here`,
    );
    expect(listMissed(texts).slice(FEW)).toEqual([]);
  });
  test.each(Object.entries(NEAR))('secrets touches at most 0.1 %% of its members that are %s', (_form, toNear) => {
    expect(listTouched(members.map((member) => `use ${toNear(member)} here`)).slice(FEW)).toEqual([]);
  });
});

/** Without dots: `config.db.password` is code. */
const password = (make: LineMaker) =>
  make.pickCharacters(`${LETTERS}${DIGITS}&!+?{[(]})_~`, make.pickNumber(9, 20)) + make.pickNumber(0, 9);
const word = (make: LineMaker) => make.pickCharacters(LETTERS.slice(0, 26), 6);
const encode = (text: string) => Buffer.from(text).toString('base64');

/** Secrets by the text around them. */
const FORMS: Record<string, (make: LineMaker) => string> = {
  'an AWS key id without a digit': (make) => `AKIA${make.pickCharacters(CAPITALS, 16)}`,
  'an AWS secret after its id': (make) => `AKIA${make.pickCharacters(CAPITALS, 16)} ${make.pickCharacters(BASE64, 40)}`,
  'an AWS secret after the word': (make) => `aws secret ${make.pickCharacters(BASE64, 40)}`,
  'a token of Hugging Face without a digit': (make) => `hf_${make.pickCharacters(LETTERS, 34)}`,
  'a JDBC URL': (make) =>
    `jdbc:postgresql://db.example.com:5432/x?user=${word(make)}&password=${make.pickCharacters(LETTERS + DIGITS, 12)}&ssl=true`,
  "Oracle's JDBC URL": (make) =>
    `jdbc:oracle:thin:${word(make)}/${make.pickCharacters(LETTERS + DIGITS, 10)}@db:1521:x`,
  'a session cookie': (make) =>
    `Cookie: theme=dark; ${make.pick(['sessionid', 'connect.sid', 'PHPSESSID', 'auth_token'])}=${make.pickCharacters(LETTERS + DIGITS, 32)}`,
  'a set cookie': (make) => `Set-Cookie: session=${make.pickCharacters(LETTERS + DIGITS, 40)}; Path=/; HttpOnly`,
  'a line of htpasswd': (make) =>
    `${word(make)}:$apr1$${make.pickCharacters(LETTERS + DIGITS, 8)}$${make.pickCharacters(LETTERS + DIGITS, 22)}`,
  'a hash of bcrypt': (make) => `${word(make)}:$2y$10$${make.pickCharacters(`${LETTERS + DIGITS}./`, 53)}`,
  'a key in a secret of Kubernetes': (make) =>
    `data:\n  value: ${encode(`ghp_${make.pickCharacters(LETTERS + DIGITS, 36)}`)}`,
  'a private key in a secret of Kubernetes': (make) =>
    `tls.key: ${encode(`-----BEGIN PRIVATE KEY-----\n${make.pickCharacters(BASE64, 200)}`)}`,
  'a password in a secret of Kubernetes': (make) => `  password: ${encode(password(make))}`,
  netrc: (make) => `machine api.example.com login ${word(make)} password ${make.pickCharacters(LETTERS + DIGITS, 14)}`,
  sshpass: (make) => `sshpass -p '${make.pickCharacters(LETTERS + DIGITS, 12)}' ssh root@host`,
  'mysql -p': (make) => `mysql -h db -u root -p${make.pickCharacters(LETTERS + DIGITS, 12)} shop`,
  "Docker's auth": (make) =>
    `{"auths":{"ghcr.io":{"auth":"${encode(`${word(make)}:${make.pickCharacters(LETTERS + DIGITS, 20)}`)}"}}}`,
  'a password in YAML': (make) => `db:\n  user: ada\n  password: ${word(make)}${password(make)}\n  port: 5432`,
  'a bearer token': (make) => `Authorization: Bearer ${make.pickCharacters(LETTERS + DIGITS, 40)}`,
  "a value under a secret's name": (make) => `client_secret=${make.pickCharacters(LETTERS + DIGITS, 32)}`,
};

test.each(Object.entries(FORMS))('secrets finds 99.9 %% of %s', (_form, line) => {
  expect(listMissed(makeLines(line)).slice(FEW)).toEqual([]);
});

/** Lines without secrets. */
const HARMLESS: Record<string, (make: LineMaker) => string> = {
  ...IDENTIFIER_LINES,
  'a quoted id of a provider': (make) =>
    `{"id": "${make.pick(['call_', 'resp_', 'msg_', 'run_', 'toolu_01', 'chatcmpl-', 'req_', 'file-', 'thread_', 'fc_', 'rs_'])}${make.pickCharacters(LETTERS + DIGITS, make.pickNumber(24, 48))}"}`,
  'quoted base64': (make) =>
    `{"${make.pick(['data', 'content', 'image', 'cursor', 'etag', 'encrypted_content'])}": "${make.pickCharacters(BASE64, make.pickNumber(32, 180))}=="}`,
  'a path in a log': (make) =>
    `file=/var/lib/${word(make)}/Build${make.pickNumber(1, 99)}/${word(make)}-v${make.pickNumber(1, 9)}/Main${make.pickNumber(1, 9)}.java:${make.pickNumber(1, 900)}`,
  'a relative path': (make) =>
    `at=src/Main${make.pickNumber(1, 99)}/components/${word(make)}/Button${make.pickNumber(1, 9)}/index`,
  "AWS's example": (make) =>
    `AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY # ${make.pickNumber(1, 9)}`,
  'a version of a package': (make) =>
    `"${make.pick(['minipass', 'compass', 'passport', 'bypass', 'tokenizer'])}": "^${make.pickNumber(1, 30)}.${make.pickNumber(0, 20)}.${make.pickNumber(0, 9)}"`,
  'a result of a test': (make) =>
    `${make.pick(['Pass', 'Bypass', 'pass'])}: ${make.pick(['True', 'False', '12/12', 'yes'])}`,
  'a hash under a name': (make) =>
    `"sha": "${make.pickCharacters(HEX, 40)}", "digest": "sha256:${make.pickCharacters(HEX, 64)}"`,
  'a phone': (make) => makePhoneLine(make, 'DE').text,
  'a field of code': (make) => `const ${word(make)}Password = await get${word(make)}Token(request);`,
};
test.each(Object.entries(HARMLESS))('secrets touches at most 0.1 %% of lines with %s', (_kind, line) => {
  expect(listTouched(makeLines(line)).slice(FEW)).toEqual([]);
});
