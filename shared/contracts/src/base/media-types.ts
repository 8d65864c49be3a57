// Media types that a guard need not judge: a type outside of this set is text of its sender.

const KNOWN_TYPES: Readonly<Record<string, string>> = {
  application: `epub+zip gzip javascript json ld+json msword octet-stream pdf rtf sql toml vnd.apple.keynote
    vnd.apple.numbers vnd.apple.pages vnd.google.colaboratory vnd.ms-excel vnd.ms-outlook vnd.ms-powerpoint
    vnd.oasis.opendocument.presentation vnd.oasis.opendocument.spreadsheet vnd.oasis.opendocument.text
    vnd.openxmlformats-officedocument.presentationml.presentation
    vnd.openxmlformats-officedocument.spreadsheetml.sheet
    vnd.openxmlformats-officedocument.wordprocessingml.document wasm x-7z-compressed x-ipynb+json x-javascript x-ndjson
    x-python x-rar-compressed x-sh x-tar x-tex x-yaml x-zip-compressed xhtml+xml xml yaml zip`,
  audio: '3gpp aac aiff amr basic flac l16 m4a mp3 mp4 mpeg ogg opus pcm wav wave webm x-aiff x-m4a x-wav',
  font: 'otf ttf woff woff2',
  image: `apng avif bmp gif heic heif jpeg jpg jxl png svg+xml tiff vnd.adobe.photoshop vnd.microsoft.icon webp x-icon
    x-ms-bmp`,
  message: 'rfc822',
  text: `calendar css csv ecmascript html javascript jsx markdown plain rtf tab-separated-values tsx typescript vcard
    vtt x-c x-c++ x-csharp x-csrc x-diff x-go x-java x-java-source x-kotlin x-log x-markdown x-php x-python
    x-python-script x-ruby x-rust x-script.python x-sh x-shellscript x-sql x-swift x-tex x-typescript x-yaml xml yaml`,
  video: '3gpp mp2t mp4 mpeg ogg quicktime webm x-flv x-m4v x-matroska x-ms-wmv x-msvideo',
};
const known: ReadonlySet<string> = new Set(
  Object.entries(KNOWN_TYPES).flatMap(([type, names]) =>
    [...names.split(/\s+/), ...(type === 'application' ? [] : ['*'])].map((name) => `${type}/${name}`),
  ),
);

/** The one parameter that such a type may have. */
const CHARSET = /; ?charset="?(?:utf-8|us-ascii)"?$/;

/** Returns whether the value is a media type of the set, in any case, without parameters other than a charset that guards read. */
export const isKnownMediaType = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 128 && known.has(value.toLowerCase().replace(CHARSET, ''));

/** Kinds of files that a processor can judge. No processor judges sound, video and archives. */
export const FILE_KINDS = ['image', 'document'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

const DOCUMENT_TYPES =
  /^application\/(?:pdf|msword|epub\+zip|vnd\.(?:apple\.(?:keynote|numbers|pages)|ms-(?:excel|powerpoint)|oasis\.opendocument\.[a-z]+|openxmlformats-officedocument\.[a-z.]+))$/i;

/** Returns the kind of a media type without parameters, or undefined. */
export function findFileKind(mimeType: unknown): FileKind | undefined {
  if (typeof mimeType !== 'string') return undefined;
  if (/^image\/[\w.+*-]+$/i.test(mimeType)) return 'image';
  return DOCUMENT_TYPES.test(mimeType) ? 'document' : undefined;
}

const TEXT_TYPES =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript|x-sh|sql|toml|rtf)\b|message\/rfc822)/i;

/** Returns whether guards read the bytes of the type as text. */
export const isTextType = (mimeType: unknown): mimeType is string =>
  typeof mimeType === 'string' && TEXT_TYPES.test(mimeType);

/** Returns whether the type has no parameter, or a charset that guards read. */
export const isPlainType = (mimeType: string): boolean => !mimeType.toLowerCase().replace(CHARSET, '').includes(';');
