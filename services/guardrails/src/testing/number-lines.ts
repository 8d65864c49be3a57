// Generates lines with numbers: identifiers that belong to no person, and personal numbers with a word of their kind.
import { CAPITALS, HEX, LETTERS, DIGITS, type LineMaker } from './random-lines.ts';

const makeUuid = (make: LineMaker, version: string): string => {
  const hex = (count: number) => make.pickCharacters(HEX, count);
  return `${hex(8)}-${hex(4)}-${version}${hex(3)}-${make.pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`;
};
const makeTimedUuid = (make: LineMaker): string =>
  `0${make.pick(['18', '19'])}${make.pickCharacters(HEX, 5)}-${makeUuid(make, '7').slice(9)}`;
const addLuhn = (digits: string): string => {
  const sum = Array.from(digits)
    .toReversed()
    .reduce(
      (total, digit, at) => total + ((value) => (value > 9 ? value - 9 : value))(Number(digit) * (at % 2 ? 1 : 2)),
      0,
    );
  return `${digits}${(10 - (sum % 10)) % 10}`;
};
const addEanDigit = (digits: string): string => {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, at) => total + Number(digit) * (at % 2 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
};

const makeIban = (make: LineMaker): string => {
  const [country = 'DE', length = 22] = make.pick([
    ['DE', 22],
    ['FR', 27],
    ['ES', 24],
    ['IT', 27],
    ['NL', 18],
    ['GB', 22],
    ['PL', 28],
    ['CH', 21],
  ] as const);
  const account = make.fill('#'.repeat(length - 4));
  const value = Array.from(`${account}${country}00`, (sign) => Number.parseInt(sign, 36)).join('');
  return `${country}${String(98n - (BigInt(value) % 97n)).padStart(2, '0')}${account}`;
};

type LineKinds = Record<string, (make: LineMaker) => string>;

/** Lines whose numbers are no personal data. */
export const IDENTIFIER_LINES: LineKinds = {
  'UUID v4': (make) => `request ${makeUuid(make, '4')} done`,
  'UUID v4 in capitals': (make) => `trace=${makeUuid(make, '4').toUpperCase()}`,
  'UUID v7': (make) => `{"id":"${makeTimedUuid(make)}"}`,
  'UUID after a word of a kind': (make) =>
    `${make.pick(['call', 'payment', 'card', 'phone', 'contact'])} ${makeUuid(make, '4')}`,
  'row of numbers': (make) =>
    Array.from({ length: make.pickNumber(5, 9) }, () => make.fill('#'.repeat(make.pickNumber(2, 5)))).join('  '),
  'row of four digits': (make) => Array.from({ length: make.pickNumber(6, 10) }, () => make.fill('####')).join(' '),
  'table of numbers': (make) =>
    `| ${Array.from({ length: 8 }, () => make.fill('#'.repeat(make.pickNumber(3, 5)))).join(' | ')} |`,
  'CSV of numbers': (make) => Array.from({ length: 10 }, () => make.fill('#'.repeat(make.pickNumber(3, 4)))).join(','),
  matrix: (make) =>
    Array.from({ length: 4 }, () => Array.from({ length: 5 }, () => make.fill('###')).join(' ')).join('\n'),
  'list of numbers in JSON': (make) => JSON.stringify(Array.from({ length: 8 }, () => make.pickNumber(1_000, 9_999))),
  'part number': (make) =>
    `${make.pick(['Part', 'part no.', 'replacement', 'gasket', '-', 'item'])} ${make.fill('###-###-####')}`,
  'order number': (make) =>
    `${make.pick(['Order', 'order #', 'Your order', 'see', ''])} ${make.fill('###-#######-#######')} shipped`,
  'tracking number': (make) =>
    `${make.pick(['tracking', 'parcel', 'shipped as', 'UPS'])} ${make.pick([make.fill('9400 1### #### #### #### ##'), make.fill('1Z') + make.pickCharacters(CAPITALS + DIGITS, 16), make.fill('############'), make.fill('#### #### ####')])}`,
  EAN: (make) => `${make.pick(['EAN', 'barcode', '"ean":', 'gtin', ''])} ${addEanDigit(make.fill('############'))}`,
  UPC: (make) => `${make.pick(['UPC', 'item', '"upc":', ''])} ${addEanDigit(make.fill('###########'))}`,
  ARN: (make) =>
    `arn:aws:${make.pick(['iam', 's3', 'lambda', 'sqs'])}:eu-west-1:${make.fill('############')}:${make.pick(['role/pay', 'queue', 'function:call'])}`,
  'account in an image name': (make) => `${make.fill('############')}.dkr.ecr.eu-west-1.amazonaws.com/app:latest`,
  'numeric id': (make) =>
    `${make.pick(['"id": ', 'message_id=', 'tweet ', 'user ', 'snowflake '])}${make.pickNumber(1, 9)}${make.fill('#'.repeat(make.pickNumber(15, 18)))}`,
  'numeric id with a check digit': (make) => `"id": "${addLuhn(`4${make.fill('##############')}`)}"`,
  'sku under a name': (make) => `{"sku":"${make.fill('###-###-####')}","card_id":"${make.fill('####-####-####')}"}`,
  'id of a provider': (make) =>
    `"${make.pick(['call_', 'resp_', 'msg_', 'toolu_', 'chatcmpl-', 'pi_', 'ch_'])}${make.pickCharacters(LETTERS + DIGITS, 24)}"`,
  'log time': (make) => `${make.fill('0811## 1#####')} ${make.pickNumber(1, 900)} INFO dfs.DataNode: block`,
  'log line': (make) => `${make.fill('[1##########] node-### RAS KERNEL INFO ## ######## #########')} call ok`,
  'block id': (make) => `blk_-${make.fill('################')} of size ${make.fill('########')} from /10.250.19.102`,
  hash: (make) => `sha256:${make.pickCharacters(HEX, 64)} ${make.pickCharacters(HEX, 40)}`,
  'digits of a hash': (make) => `commit ${make.pickCharacters(HEX, 7)} card ${make.pickCharacters(HEX, 32)}`,
  'version, date, price': (make) => make.fill('1.#.# 202#-0#-1# 1#:##:## $1,###.## 4#.#####, 8.####'),
  epoch: (make) => make.fill('at 17########, 17###########'),
};

/** Personal numbers, each with the type of its hit. */
export const PERSONAL_LINES: Record<string, readonly ['card' | 'ssn' | 'iban', (make: LineMaker) => string]> = {
  'card in groups': [
    'card',
    (make) =>
      `It is ${addLuhn(make.pick(['4', '5', '6']) + make.fill(['##############'].join(''))).replace(/(.{4})(?=.)/g, '$1 ')}, ok?`,
  ],
  'card in dashes': ['card', (make) => addLuhn(`4${make.fill('##############')}`).replace(/(.{4})(?=.)/g, '$1-')],
  'card with a word': [
    'card',
    (make) =>
      `${make.pick(['my card is', 'Visa', 'pay with', 'credit card:', 'Kreditkarte', 'tarjeta', 'carte bancaire', '"cardNumber":"'])} ${addLuhn(make.pick(['4', '51', '37', '6011']) + make.fill('##########') + make.fill('###'))}`,
  ],
  'card and its date': [
    'card',
    (make) =>
      `${addLuhn(`4${make.fill('##############')}`).replace(/(.{4})(?=.)/g, '$1 ')} 0${make.pickNumber(1, 9)}/2${make.pickNumber(7, 9)} ${make.fill('###')}`,
  ],
  'card in JSON': ['card', (make) => JSON.stringify({ card: addLuhn(`5${make.fill('##############')}`) })],
  'social security number': [
    'ssn',
    (make) =>
      `${make.pick(['my SSN is', 'SSN:', 'it is', ''])} ${make.pickNumber(100, 665)}-${make.pickNumber(10, 99)}-${make.pickNumber(1_000, 9_999)}`,
  ],
  IBAN: [
    'iban',
    (make) =>
      `${make.pick(['IBAN', 'account', 'auf', 'to', ''])} ${make.pick([makeIban(make), makeIban(make).replace(/(.{4})(?=.)/g, '$1 ')])}.`,
  ],
};

/** Countries by region: an example number, and words of its language. */
const PHONES = {
  US: ['212 555 0123', ['call me at', 'Phone:', 'my number is', 'text']],
  GB: ['07400 123456', ['call', 'Tel.', 'my mobile is', 'ring me on']],
  DE: ['030 123456', ['Tel.:', 'Telefon', 'ruf mich an:', 'Handy']],
  FR: ['06 12 34 56 78', ['tél.', 'téléphone :', 'mon numéro est le', 'appelez le']],
  ES: ['612 34 56 78', ['teléfono', 'llámame al', 'móvil:', 'mi número es']],
  IT: ['312 345 6789', ['telefono', 'cellulare', 'chiamami al', 'tel.']],
  NL: ['06 12345678', ['bel', 'telefoon', 'mobiel', 'mijn nummer is']],
  AU: ['0412 345 678', ['call', 'mobile', 'phone', 'ring']],
  SE: ['070 123 45 67', ['telefon', 'mobil', 'ring', 'nummer']],
  JP: ['090-1234-5678', ['電話', '携帯', '電話番号は', 'TEL']],
  BR: ['(11) 96123-4567', ['telefone', 'celular', 'ligue para', 'meu número é']],
  PL: ['512 345 678', ['telefon', 'tel.', 'numer', 'dzwoń']],
  IN: ['081234 56789', ['call', 'phone', 'फ़ोन', 'mobile']],
  CN: ['131 2345 6789', ['电话', '手机', '致电', '我的号码']],
} as const;
export const PHONE_COUNTRIES = Object.keys(PHONES);

/** Returns a line with a number of the country after a word of its language: `{ text, start, end }`. */
export function makePhoneLine(make: LineMaker, country: string): { text: string; start: number; end: number } {
  const found = Object.entries(PHONES).find(([name]) => name === country)?.[1];
  if (!found) throw new Error(`There is no phone of ${country}.`);
  const [example, words] = found;
  // The first digits name the area or the network.
  const head = example.slice(0, 6);
  const number = head + example.slice(6).replaceAll(/\d/g, () => make.fill('#'));
  const written = make.pick([number, number.replaceAll(' ', '-'), number.replaceAll(/[ -]/g, ' '), number]);
  const before = `${make.pick(words)} ${make.pick(['', '', ': ', 'Anna, '])}`;
  return {
    text: `${before}${written}${make.pick([', ok', '.', ' :-)'])}`,
    start: before.length,
    end: before.length + written.length,
  };
}
