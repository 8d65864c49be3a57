// Decodes escapes of single characters between plain ones: percent, entities, string escapes, quoted-printable.
/** Entities of punctuation and markup; letters have no names. */
const ENTITIES = new Map(
  Object.entries({
    lt: '<',
    gt: '>',
    amp: '&',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    colon: ':',
    num: '#',
    sol: '/',
    vert: '|',
    verbar: '|',
    lbrack: '[',
    lsqb: '[',
    rbrack: ']',
    rsqb: ']',
    lowbar: '_',
    hyphen: '-',
    tab: '\t',
    newline: '\n',
    period: '.',
    comma: ',',
    excl: '!',
    shy: '',
    zwnj: '',
    zwj: '',
    ensp: ' ',
    emsp: ' ',
    thinsp: ' ',
  }),
);
const CONTROLS = new Map(Object.entries({ n: '\n', r: '\n', t: '\t', '"': '"', "'": "'", '/': '/', '\\': '\\' }));

/** The groups are the input of `decodeEscape`; they are unnamed, so that other patterns can contain this one. */
export const ESCAPES = String.raw`(?:%[0-9a-f]{2})+|&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));?|\\(?:x([0-9a-f]{2})|u\{?([0-9a-f]{4,6})\}?|([0-3][0-7]{2})|([nrt"'/\\]))|(?:=[0-9A-F]{2})+|=\r?\n|\bU\+([0-9a-f]{4,6})\b ?`;
export const ESCAPE_GROUPS = 8;

export function decodeEscape([found, decimal, hex, name, byte, unit, octal, control, codePoint]: readonly (
  | string
  | undefined
)[]): string {
  if (found === undefined) return '';
  if (found.startsWith('%')) return decodeBytes(found.replaceAll('%', ''));
  if (found.startsWith('=')) return decodeBytes(found.replace(/[=\r\n]/g, ''));
  if (name !== undefined) return ENTITIES.get(name.toLowerCase()) ?? found;
  if (control !== undefined) return CONTROLS.get(control.toLowerCase()) ?? found;
  if (decimal !== undefined) return decodeCharacter(Number(decimal)) ?? found;
  if (octal !== undefined) return decodeCharacter(Number.parseInt(octal, 8)) ?? found;
  return decodeCharacter(Number.parseInt(hex ?? byte ?? unit ?? codePoint ?? '', 16)) ?? found;
}

const decodeBytes = (hex: string): string => Buffer.from(hex, 'hex').toString('utf8');
const decodeCharacter = (code: number): string | undefined =>
  code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
